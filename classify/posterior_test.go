package classify

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/testkit"
)

// straight is a classifier that can compute probabilities without their logarithms.
type straight interface {
	vectorClassifier
	Posterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error
}

// straights returns the classifiers with their own probabilities, fitted to the same data.
func straights(t *testing.T, x *mat.Dense, y []int, names []string) map[string]straight {
	t.Helper()
	all := fitAll(t, x, y, names)
	halves := make([]int, len(y))
	for i, l := range y {
		halves[i] = 2*l + i/len(names)%2
	}
	var of []int
	var parts []string
	for k := range 2 * len(names) {
		of, parts = append(of, k/2), append(parts, fmt.Sprint("part", k))
	}
	s := testkit.Must(gaussian.Estimate(x, halves, parts))(t)
	plain := testkit.Must(FitMixture(s, of, names, MixtureOptions{}))(t)
	warm := *plain
	warm.Temperature = 1.7
	return map[string]straight{"qda": all["qda"].(*QDA), "lda": all["lda"].(*LDA), "mixture": plain,
		"warm mixture": &warm}
}

// Probabilities are the exponentials of their logarithms, even for rows so far away that the arithmetic overflows: all
// classes of such a row are equally probable, or no class has a probability.
func TestPosteriorIsTheExponential(t *testing.T) {
	x, y, names := sample(1100, 5, 4, 12)
	for name, m := range straights(t, x, y, names) {
		odd := mat.DenseCopyOf(x)
		for i, v := range []float64{1e3, -1e200, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)} {
			odd.Set(3*i, 2, v)
		}
		var logs, p mat.Dense
		testkit.NoError(t, m.LogPosterior(t.Context(), &logs, odd))
		testkit.NoError(t, m.Posterior(t.Context(), &p, odd))
		for i := range 1100 {
			sum := 0.0
			for j := range 4 {
				got, want := p.At(i, j), math.Exp(logs.At(i, j))
				if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-14 {
					t.Errorf("%s: row %d, class %d: %g, want %g", name, i, j, got, want)
				}
				sum += got
			}
			if math.Abs(sum-1) > 1e-15 { // some rows are NaN
				t.Errorf("%s: row %d adds up to 1%+g", name, i, sum-1)
			}
		}
	}
}

// The posterior of a row has the same bits for one row and for many rows, and with any number of processors.
func TestPosteriorsAreIndependent(t *testing.T) {
	x, y, names := sample(1100, 5, 3, 13)
	for name, m := range straights(t, x, y, names) {
		all := mat.NewDense(1100, 3, testkit.SameAtAnyProcs(t, func() []float64 {
			var p mat.Dense
			testkit.NoError(t, m.Posterior(t.Context(), &p, x))
			return p.RawMatrix().Data
		}, name))
		if name != "qda" {
			continue // products of few rows take other kernels
		}
		for _, rows := range []int{1, 7, 8, 600} {
			var part mat.Dense
			testkit.NoError(t, m.Posterior(t.Context(), &part, x.Slice(490, 490+rows, 0, 5)))
			if !mat.Equal(&part, all.Slice(490, 490+rows, 0, 3)) {
				t.Errorf("%s: %d rows differ from the same among all", name, rows)
			}
		}
	}
}
