package modelinfo

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/spd"
	"rao/synth"
)

// Filters and patterns of a source match: a pattern is the covariance of source and channels. If a stage before the
// filters reduces the columns, the filters are not shown as filters of the channels.
func TestSpatialFilters(t *testing.T) {
	centers := spd.StackOf(2, 3, []float64{1, 0.2, 0, 0.2, 2, 0, 0, 0, 3 /**/, 4, 0.2, 0, 0.2, 2, 0.5, 0, 0.5, 1})
	d := testkit.Must(synth.RiemannGaussian(centers, []float64{0.3}, 40, 1))(t)
	for _, c := range []struct {
		method, option, value string
		filters               int
		of                    string // of the first filter
	}{
		{"csp", "filters", "2", 2, ""},
		{"fgmdm", "", "", 3, "direction 1"},
		{"enuc", "nuclear", "0", 6, d.Classes[0]},
		{"mdm", "", "", 0, ""},
		{"enuc", "reduce", "2", 0, ""},
	} {
		m := fitted(t, d, c.method, c.option, c.value)
		f := testkit.Must(Spatial(m))(t)
		if f == nil || c.filters == 0 {
			if f != nil || c.filters != 0 {
				t.Errorf("%s %s: filters %v, want %d", c.method, c.option, f, c.filters)
			}
			continue
		}
		n, k := f.Filters.Dims()
		if n != 3 || k != c.filters || c.of != "" && (f.Of[0] != c.of || len(f.Weights) != k) {
			t.Errorf("%s: %d×%d filters of %q, weights %v", c.method, n, k, f.Of, f.Weights)
		}
		if c.method == "csp" {
			continue // its patterns are compared where it is learned
		}
		center, _ := testkit.Must2(spd.Mean(context.Background(), d.Stack, nil, spd.Riemann, spd.MeanOptions{}))(t)
		for j := range k {
			var want mat.VecDense
			want.MulVec(center, f.Filters.ColView(j))
			if r := mat.Dot(&want, f.Patterns.ColView(j)) / mat.Norm(&want, 2); math.Abs(math.Abs(r)-1) > 1e-6 {
				t.Errorf("%s: pattern %d and the covariance of its source have the cosine %v", c.method, j, r)
			}
		}
		if math.Abs(f.Weights[0]) < math.Abs(f.Weights[1]) {
			t.Errorf("%s: weights %v", c.method, f.Weights)
		}
	}
}

// fitted fits a model of a method with one option, or without options if the name is empty.
func fitted(t *testing.T, d *dataset.Data, name, option, value string) *model.Model {
	t.Helper()
	m := testkit.Must(method.Lookup(name))(t)
	var set method.Settings
	if option != "" {
		set = set.With(option, value)
	}
	return testkit.Must(m.Fit(context.Background(), method.InMemory{Data: d}, set, nil))(t)
}
