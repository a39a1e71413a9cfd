package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Rows of every length, with NaN between and after them, give the sums of Axpy.
func TestAddRowsAgainstAxpy(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{0, 1, 7, 8, 9, 16, 31, 32, 40, 63, 64, 65, 100, 143} {
		for _, rows := range []int{0, 1, 2, 5, 33} {
			lda := n + 3
			a, w := make([]float64, rows*lda), make([]float64, rows)
			y, want := make([]float64, n+8), make([]float64, n)
			for i := range a {
				a[i] = math.NaN()
			}
			for k := range rows {
				w[k] = rng.NormFloat64()
				for j := range n {
					a[k*lda+j] = rng.NormFloat64()
				}
			}
			for j := range y {
				y[j] = math.NaN()
			}
			for j := range n {
				y[j] = rng.NormFloat64()
				want[j] = y[j]
			}
			for k := range rows {
				Axpy(want, w[k], a[k*lda:k*lda+n])
			}
			AddRows(y[:n], w, a, lda)
			for j, v := range y {
				if j < n && !(math.Abs(v-want[j]) <= 1e-14*float64(rows+1)) || j >= n && !math.IsNaN(v) {
					t.Fatalf("%d rows of %d: value %d is %g", rows, n, j, v)
				}
			}
		}
	}
}
