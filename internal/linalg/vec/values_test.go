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
	for _, n := range []int{1, 7, 8, 9, 16, 23, 64} {
		for rows := range 5 {
			x, want, shift := make([]float64, rows*n), make([]float64, rows*n), make([]float64, n)
			for j := range shift {
				shift[j] = rng.NormFloat64()
			}
			for i := range x {
				x[i] = rng.NormFloat64()
				d := x[i] - shift[i%n]
				want[i] = d * 0.3
			}
			Standardize(x, shift, 0.3)
			if !slices.Equal(x, want) {
				t.Fatalf("%d rows of %d: %v, want %v", rows, n, x, want)
			}
		}
	}
}
