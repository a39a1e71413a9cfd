package method

import (
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/synth"
	"rao/internal/testkit"
	"rao/model"
)

// A fit to statistics of many classes that stay in their file needs less memory than the statistics, and gives the same
// model as a fit in memory. Other methods read the statistics into memory.
func TestStatisticsStayInTheirFile(t *testing.T) {
	const classes, columns = 36, 300
	stats := synth.NewClasses(classes, columns, 1).Statistics(nil, 0, 400)
	path := filepath.Join(t.TempDir(), "s.npz")
	testkit.NoError(t, gaussian.WriteSource(background, path, stats.Source(), false))
	open := func() TrainingData {
		src := testkit.Must(gaussian.OpenSource(path))(t)
		t.Cleanup(func() { src.Close() })
		return Stored{Source: src}
	}
	const options = "filters=4 noise=0.1 subspace=40"
	want := usable(t, "sqfa", Statistics{Stats: stats}, options)
	var got *model.Model
	src := open()
	peak := livePeak(func() { got = usable(t, "sqfa", src, options) })
	a, b := want.Filters(), got.Filters()
	var d mat.Dense
	d.Sub(a, b)
	if diff := math.Max(mat.Max(&d), -mat.Min(&d)); !(diff < 1e-5) {
		t.Errorf("filters differ by %g", diff)
	}
	spec := mustWith(t, mustLookup(t, "sqfa"), settingsOf(t, options))
	if f := spec.Memory(src); peak > f.Bytes || peak > 8*classes*columns*columns {
		t.Errorf("held %.1f MiB, the estimate is %.1f", peak/(1<<20), f.Bytes/(1<<20))
	}
	fitTo(t, "lda", open(), "filters=4")
}

// A fit needs only the memory of a subspace if it uses one: methods without the bound on the Bayes error read all
// covariances, even for many classes and columns.
func TestMemoryOfStoredStatisticsFollowsTheObjective(t *testing.T) {
	src := Stored{Source: &gaussian.Source{Dim: 4 * manyColumns, Counts: make([]int, manyClasses+1)}}
	for _, c := range []struct {
		method   string
		options  Settings
		subspace bool
	}{
		{"sqfa", nil, true},
		{"sqfa", Settings{{Name: "aggregate", Value: "mean"}}, false},
		{"sqfa", Settings{{Name: "pairs", Value: "all"}}, false},
		{"bdm", nil, false},
		{"bdm", Settings{{Name: "aggregate", Value: "bayes"}}, true},
		{"smsqfa", nil, false},
	} {
		m := mustLookup(t, c.method)
		got := mustWith(t, m, c.options).Memory(src).Bytes
		all := mustWith(t, m, c.options.With("subspace", "none")).Memory(src).Bytes
		if (got < all) != c.subspace || got > all {
			t.Errorf("%s %v: the estimate is %.0f bytes, without a subspace %.0f", c.method, c.options, got, all)
		}
	}
}
