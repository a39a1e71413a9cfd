package joint

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// Matrices A D_k A' become diagonal, and B A is a scaled permutation.
func TestDiagonalizeFindsTheCommonBasis(t *testing.T) {
	for _, count := range []int{2, 3, 5} {
		const n = 6
		rng := rand.New(rand.NewPCG(uint64(count), 3))
		a := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, 0.3*rng.NormFloat64())
			}
			a.Set(i, i, a.At(i, i)+1)
		}
		var c [][]float64
		weights := make([]float64, count)
		for k := range count {
			weights[k] = 1 / float64(count)
			d := mat.NewDense(n, n, nil)
			for j := range n {
				d.Set(j, j, math.Exp(rng.NormFloat64()))
			}
			var ad, ada mat.Dense
			ad.Mul(a, d)
			ada.Mul(&ad, a.T())
			c = append(c, ada.RawMatrix().Data)
		}
		b := vec.Identity(n)
		r := Diagonalize(context.Background(), b, c, weights, n, 100, 1e-9, nil)
		testkit.Equal(t, r.Status, rao.StatusConverged, count, "matrices after", r.Iterations, "sweeps, change",
			r.GradientNorm)
		for k, m := range c {
			for i := range n {
				for j := range i {
					if off := math.Abs(m[i*n+j]) / math.Sqrt(m[i*n+i]*m[j*n+j]); off > 1e-8 {
						t.Errorf("%d matrices: entry (%d,%d) of matrix %d is %.3g of the diagonal", count, i, j, k, off)
					}
				}
			}
		}
		var ba mat.Dense
		ba.Mul(mat.NewDense(n, n, b), a)
		for i := range n {
			row := ba.RawRowView(i)
			big, rest := 0.0, 0.0
			for _, v := range row {
				v = math.Abs(v)
				big, rest = max(big, v), rest+v
			}
			if rest -= big; rest > 1e-7*big {
				t.Errorf("%d matrices: row %d of BA has more than one source: %v", count, i, row)
			}
		}
	}
}

func TestDiagonalizeStopsWhenToldTo(t *testing.T) {
	ctx := testkit.Canceled()
	b, c := []float64{1, 0, 0, 1}, [][]float64{{2, 1, 1, 2}, {3, 1, 1, 2}}
	r := Diagonalize(ctx, b, c, []float64{0.5, 0.5}, 2, 100, 1e-9, nil)
	if r.Status != rao.StatusCanceled || b[1] != 0 {
		t.Errorf("%v, B %v", r.Status, b)
	}
}
