package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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
		if !slices.Equal(y, want) {
			t.Fatalf("%d values: %v, want %v", n, y, want)
		}
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
				if math.Abs(squares[i]-v) > 1e-14*v {
					t.Fatalf("%d rows of %d: row %d has the square %g, want %g", rows, n, i, squares[i], v)
				}
			}
			if squares[rows] != 42 {
				t.Fatalf("%d rows of %d: wrote beyond the end", rows, n)
			}
			if !slices.Equal(x, want) {
				t.Fatalf("%d rows of %d: %v, want %v", rows, n, x, want)
			}
		}
	}
}
