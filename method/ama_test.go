package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/model"
)

// AMA tries the filters of SQFA too: from principal components alone it ends at a poor local optimum
// on the toy of the distances.
func TestAMATriesSeveralStarts(t *testing.T) {
	const rows, n, small, large = 1500, 4, 0.2, 0.9
	means := [][]float64{{large, large, large, large},
		{-small - large, small - large, -small - large, small - large}, {small, -small, small, -small}}
	rng := rand.New(rand.NewPCG(3, 26))
	x, labels := mat.NewDense(rows, n, nil), make([]int, rows)
	for i := range rows {
		labels[i] = i % 3
		sin, cos := math.Sincos([]float64{45, 47, 43}[labels[i]] * math.Pi / 180)
		mean := means[labels[i]]
		for j := 0; j < n; j += 2 {
			u, v := math.Sqrt(0.6)*rng.NormFloat64(), math.Sqrt(0.002)*rng.NormFloat64()
			x.Set(i, j, mean[j]+cos*u-sin*v)
			x.Set(i, j+1, mean[j+1]+sin*u+cos*v)
		}
	}
	data := &dataset.Data{X: dataset.NewTable64(rows, n, x.RawMatrix().Data), Labels: labels,
		Classes: []string{"a", "b", "c"}}
	objective := func(init string) float64 {
		set := settingsOf(t, "filters=1 noise=0.001 init="+init)
		m, err := mustLookup(t, "ama").Fit(background, InMemory{Data: data}, set, nil)
		if m == nil {
			t.Fatal(err)
		}
		return m.Report.Objective
	}
	components, several := objective("pca"), objective("auto")
	t.Logf("from principal components %.4f, of several starts %.4f", components, several)
	if several < components+0.05 {
		t.Errorf("the best of several starts reaches %.4f, principal components %.4f", several, components)
	}
}

// The default start of AMA is not worse than the filters of SQFA. On the digits with two filters those end 0.026 below.
func TestDefaultStartOfAMAIsAsGoodAsFiltersOfSQFA(t *testing.T) {
	d, err := dataset.Open(background, "digits:train", dataset.OpenOptions{RequireLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, filters := range []string{"2", "4"} {
		fitted := func(name, options string) *model.Model {
			m, err := mustLookup(t, name).Fit(background, InMemory{Data: d},
				settingsOf(t, "filters="+filters+options), nil)
			if m == nil {
				t.Fatal(err)
			}
			return m
		}
		path := writeFilters(t, fitted("sqfa", "").Filters())
		own, learned := fitted("ama", "").Report.Objective, fitted("ama", " init="+path).Report.Objective
		if own < learned-0.005 {
			t.Errorf("%s filters: %.4f from the default start, %.4f from the filters of SQFA", filters, own, learned)
		}
	}
}
