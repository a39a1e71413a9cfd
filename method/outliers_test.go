package method

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/model"
	"rao/spd"
)

// farIsAnOutlier checks that observations that are 100 or 1e200 times as large as the training data are outliers
// without an error, that their posteriors are finite, and that few training observations are outliers.
func farIsAnOutlier(t *testing.T, m *model.Model, d *dataset.Data) {
	t.Helper()
	for _, factor := range []float64{1, 100, 1e200} {
		p := testkit.Must(m.Predict(background, times(d, factor)))(t, "all values times", factor)
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

// A column in another unit makes rows outliers, even if the values of other columns are much larger and hide it in the
// distance from the mean: height in centimeters, weight in kilograms and temperature in degrees Celsius, then in
// Fahrenheit. A row of the training is no outlier.
func TestColumnsInAnotherUnitAreNoted(t *testing.T) {
	d := drawnSet(600, 3, 7, func(rng *rand.Rand, class, column int) float64 {
		mean, sd := []float64{170, 70, 37}[column], []float64{8, 10, 0.4}[column]
		return mean + float64(class)*[]float64{6, 9, 0}[column] + sd*rng.NormFloat64()
	})
	other := mat.DenseCopyOf(d.X)
	for i := range d.N() {
		other.Set(i, 2, other.At(i, 2)*9/5+32)
	}
	for _, name := range []string{"sqfa", "lda-raw", "qda-raw", "knn-raw", "glvq-raw"} {
		m := fitTo(t, name, InMemory{Data: d}, "scale=std")
		m.Input.Columns = []string{"height", "weight", "temperature"}
		p := testkit.Must(m.Predict(background, model.Vectors(d.X)))(t)
		if slices.Contains(p.Outlier, true) || p.Notes != nil {
			t.Errorf("%s: rows of the training are outliers: %q", name, p.Notes)
		}
		p = testkit.Must(m.Predict(background, model.Vectors(other)))(t)
		if s := strings.Join(p.Notes, "; "); slices.Contains(p.Outlier, false) ||
			!strings.Contains(s, "600 of 600") ||
			!strings.Contains(s, "whose column temperature differs from its mean by 1") {
			t.Errorf("%s: degrees Fahrenheit for Celsius: notes %q", name, p.Notes)
		}
		decoder := testkit.Must(model.NewDecoder(m, model.DecoderOptions{}))(t)
		one := testkit.Must(decoder.Observe(other.RawRowView(0)))(t)
		if !one.Outlier {
			t.Errorf("%s: a single row is no outlier", name)
		}
	}
}
