package method

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/model"
)

// A row of equal values, such as an empty image or a missing embedding, is an outlier if no training row was like that.
func TestRowsOfEqualValuesAreOutliers(t *testing.T) {
	draw := func(rng *rand.Rand, class, j int) float64 { return rng.NormFloat64() + float64(class*(j%3)) }
	const cols = 20
	flat := mat.NewDense(3, cols, nil)
	for j := range cols {
		flat.Set(1, j, 0.1)
		flat.Set(2, j, draw(rand.New(rand.NewPCG(1, uint64(j))), 0, j))
	}
	for _, c := range []struct {
		what       string
		rows, cols int
		flat       int  // number of training rows of equal values
		statistics bool // learn from statistics
		want       bool
	}{
		{"varied rows", 150, cols, 0, false, true}, {"a flat row", 150, cols, 1, false, false},
		{"few rows", 90, cols, 0, false, false}, {"statistics", 150, cols, 0, true, false},
	} {
		d := drawnSet(c.rows, c.cols, 7, draw)
		x := d.X.Matrix()
		raw := mat.DenseCopyOf(x)
		for i := range c.flat {
			raw.SetRow(70+i, make([]float64, cols))
		}
		d.X = dataset.NewTable(c.rows, c.cols, raw.RawMatrix().Data)
		var src TrainingData = InMemory{Data: d}
		if c.statistics {
			src = Statistics{Stats: testkit.Must(gaussian.Estimate(d.X, d.Labels, d.Classes))(t)}
		}
		for _, name := range []string{"sqfa", "qda-raw", "lda"} {
			m := testkit.Must(mustLookup(t, name).Fit(background, src, nil, nil))(t)
			p := testkit.Must(m.Predict(background, model.Vectors(flat)))(t)
			testkit.EqualSlices(t, p.Outlier, []bool{c.want, c.want, false}, c.what, name, "outliers")
			if notes := strings.Join(p.Notes, "; "); c.want {
				testkit.Contains(t, notes, "2 of 3", c.what, name)
				testkit.Contains(t, notes, "observation 0, whose values are all equal", c.what, name)
			}
		}
		knn := testkit.Must(mustLookup(t, "knn-raw").Fit(background, src, nil, nil))
		if c.statistics {
			continue
		}
		updated := testkit.Must(knn(t).Update(background, model.Vectors(flat.Slice(0, 1, 0, cols)), []int{1}))(t)
		p := testkit.Must(updated.Predict(background, model.Vectors(flat)))(t)
		testkit.EqualSlices(t, p.Outlier, []bool{false, false, false}, c.what, "after an update with a flat row")
	}
}
