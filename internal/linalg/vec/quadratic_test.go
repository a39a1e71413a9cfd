package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/testkit"
)

// Columns of every number, with NaN between and after them, give the squares of the definition.
func TestHalfSquaresAgainstTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 14))
	for _, n := range []int{1, 2, 3, 9, 24} {
		for _, columns := range []int{0, 1, 7, 8, 9, 24, 56, 64, 120, 192} {
			ldx := columns + 2
			factor, x := make([]float64, n*(n+3)/2), make([]float64, (n+1)*ldx)
			for i := range factor {
				factor[i] = rng.NormFloat64()
			}
			for i := range x {
				x[i] = math.NaN()
				if i%ldx < columns {
					x[i] = rng.NormFloat64()
				}
			}
			dst := make([]float64, columns+1)
			dst[columns] = 42
			HalfSquares(dst[:columns], n, 0.7, factor, x, ldx)
			for r := range columns {
				want, f := 0.7, factor
				for j := range n {
					sum := 0.0
					for k := range j + 2 {
						sum += f[k] * x[k*ldx+r]
					}
					want -= sum * sum / 2
					f = f[j+2:]
				}
				if !(math.Abs(dst[r]-want) <= 1e-13*(1+math.Abs(want))) {
					t.Fatalf("%d columns of %d: column %d gives %g, want %g", columns, n, r, dst[r], want)
				}
			}
			testkit.Equal(t, dst[columns], 42, columns, "columns of", n, "wrote beyond the end")
		}
	}
}
