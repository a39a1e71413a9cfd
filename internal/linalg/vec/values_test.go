package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/testkit"
)

func TestLargerAgainstTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	for n := range 70 {
		x, y, want := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
		for i := range x {
			x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
			if i%11 == 3 {
				x[i] = math.Inf(-1)
			}
			if want[i] = y[i]; i < n {
				want[i] = math.Max(x[i], y[i])
			}
		}
		Larger(y[:n], x)
		testkit.EqualSlices(t, y, want, n, "values")
	}
}

func TestStandardizeAgainstTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	for _, n := range []int{1, 7, 8, 9, 16, 23, 40, 64} {
		for _, rows := range []int{0, 1, 2, 5, 16, 17, 50} {
			squares, lengths := make([]float64, rows+1), make([]float64, rows)
			x, want, shift := make([]float64, rows*n), make([]float64, rows*n), make([]float64, n)
			for j := range shift {
				shift[j] = rng.NormFloat64()
			}
			for i := range x {
				x[i] = rng.NormFloat64()
				d := x[i] - shift[i%n]
				want[i] = d * 0.3
				lengths[i/n] += want[i] * want[i]
			}
			squares[rows] = 42
			Standardize(squares[:rows], x, shift, 0.3)
			for i, v := range lengths {
				testkit.Near(t, squares[i], v, 1e-14*v, rows, "rows of", n, "row", i, "has the square")
			}
			if squares[rows] != 42 {
				t.Fatalf("%d rows of %d: wrote beyond the end", rows, n)
			}
			testkit.EqualSlices(t, x, want, rows, "rows of", n)
		}
	}
}
