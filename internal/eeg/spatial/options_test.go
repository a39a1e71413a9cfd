package spatial

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/spd"
	"rao/synth"
)

// toy returns data of the kind that a method learns from.
func toy(t *testing.T, m *method.Method) *dataset.Data {
	t.Helper()
	name := "toy1-shifted"
	if m.Matrices {
		name = "syn1"
	}
	return testkit.Must(synth.Generate(name, synth.GenerateOptions{PerClass: 20, Seed: 2}))(t)
}

// says fits a method and returns the results of its model on the data: posteriors, or features if there is no
// classifier.
func says(t *testing.T, m *method.Method, d *dataset.Data, settings string) (*mat.Dense, error) {
	t.Helper()
	var set method.Settings
	for _, s := range strings.Fields(settings) {
		name, value, _ := strings.Cut(s, "=")
		set = set.With(name, value)
	}
	mod, err := m.Fit(t.Context(), method.InMemory{Data: d}, set, nil)
	if err != nil && !rao.IsNotConverged(err) {
		return nil, err
	}
	var file bytes.Buffer
	testkit.NoError(t, mod.Write(&file))
	mod = testkit.Must(model.Read(bytes.NewReader(file.Bytes()), int64(file.Len()), m.Name))(t)
	if mod.Classifier != nil {
		p := testkit.Must(mod.Predict(t.Context(), model.BatchOf(d)))(t)
		return p.LogPosterior, nil
	}
	z := testkit.Must(mod.Transform(t.Context(), model.BatchOf(d)))(t)
	if z.Stack != nil {
		return mat.NewDense(z.Stack.Count, z.Stack.Dim*z.Stack.Dim, z.Stack.Contiguous()), nil
	}
	return mat.DenseCopyOf(z.X), nil
}

// values are the values to try for every option. The default is tried too, and must change nothing.
var values = map[string][]string{
	"erp channel-count": {"2", "4"}, "erp evoked": {"b", "nothing"}, "erp estimator": {"sample", "ledoit_wolf"},
	"erp svd": {"1"}, "erp classifier": {"tslr", "none"},
	"xdawn channel-count": {"3", "4"}, "xdawn evoked": {"b", "nothing"}, "xdawn estimator": {"sample", "ledoit_wolf"},
	"xdawn filters-per-class": {"1"}, "xdawn keep-channels": {"true"}, "xdawn classifier": {"mdm", "none"},
	"trca channel-count": {"2", "4"}, "trca band-count": {"2"}, "trca ensemble": {"false"},
	"fbcsp band-count": {"2"}, "fbcsp filter-pairs": {"1"}, "fbcsp select": {"1"}, "fbcsp shrinkage": {"0.5"},
	"fbcsp classifier": {"lda", "none"},
}

// Every value of every option except the default changes the fit or is an error, and setting the default explicitly
// changes nothing.
func TestEveryOptionDoesWhatItSays(t *testing.T) {
	for _, name := range own {
		m := testkit.Must(method.Lookup(name))(t)
		d := toy(t, m)
		for _, o := range m.Options {
			with := ""
			if !m.Matrices && o.Name != "channel-count" {
				with = "channel-count=2 "
			}
			plain := testkit.Must(says(t, m, d, with))(t, name)
			if same, err := says(t, m, d, with+o.Name+"="+o.Default); err != nil || !mat.Equal(same, plain) {
				t.Errorf("%s: --%s %s is the default and gives another fit, or %v", name, o.Name, o.Default, err)
			}
			if len(values[name+" "+o.Name]) == 0 {
				t.Errorf("%s: nothing tries --%s", name, o.Name)
			}
			for _, v := range values[name+" "+o.Name] {
				if other, err := says(t, m, d, with+o.Name+"="+v); err == nil && mat.Equal(other, plain) {
					t.Errorf("%s: --%s %s changes nothing", name, o.Name, v)
				}
			}
		}
	}
}

// A canceled fit returns an error, and stages reject an empty stack of matrices.
func TestFitsHeedTheirContextAndNil(t *testing.T) {
	for _, name := range own {
		m := testkit.Must(method.Lookup(name))(t)
		d := toy(t, m)
		ctx := testkit.CancelAt(1)
		if _, err := m.Fit(ctx, method.InMemory{Data: d}, nil, nil); !errors.Is(err, context.Canceled) ||
			rao.IsNotConverged(err) {
			t.Errorf("%s: canceled: %v", name, err)
		}
	}
	if _, err := FitFilterBank(t.Context(), (*spd.Stack)(nil), nil, slices.Clone(threeNames),
		fbcspOptions{Bands: 1}); err == nil {
		t.Error("a filter bank of no matrices")
	}
}
