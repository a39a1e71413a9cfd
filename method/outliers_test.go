package method

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/model"
	"rao/spd"
)

// farIsAnOutlier checks that observations a hundred times and 1e200 times as large as those
// of the training are outliers without an error, that their posteriors are finite, and
// that hardly one of the training is an outlier.
func farIsAnOutlier(t *testing.T, m *model.Model, d *dataset.Data) {
	t.Helper()
	for _, factor := range []float64{1, 100, 1e200} {
		p, err := m.Predict(background, times(d, factor))
		if err != nil {
			t.Errorf("all values times %g: %v", factor, err)
			continue
		}
		count := 0
		for i, o := range p.Outlier {
			if o {
				count++
			}
			for _, v := range p.LogPosterior.RawRowView(i) {
				if math.IsNaN(v) || math.IsInf(v, 1) {
					t.Fatalf("all values times %g: observation %d has log-posterior %v", factor, i, v)
				}
			}
		}
		switch n := len(p.Outlier); {
		case factor == 1 && (count > 0 || p.Notes != nil):
			t.Errorf("%d of %d observations of the training are outliers: %v", count, n, p.Notes)
		case factor > 1 && (count < n || len(p.Notes) != 1):
			t.Errorf("all values times %g: %d of %d observations are outliers: %v", factor, count, n, p.Notes)
		}
	}
}

func times(d *dataset.Data, factor float64) model.Batch {
	if d.Stack == nil {
		x := mat.DenseCopyOf(d.X)
		x.Scale(factor, x)
		return model.Vectors(x)
	}
	x := spd.NewStack(d.Stack.Count, d.Stack.Dim)
	for i, v := range d.Stack.Contiguous() {
		x.Data[i] = factor * v
	}
	return model.Matrices(x)
}
