package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// With a vector in single precision, the operations give the same results as with the same values in double precision.
func TestNarrowAgreesWithTheDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for n := range 90 {
		x, a := make([]float64, n), make([]float32, n+1)
		b, y, product := make([]float64, n), make([]float64, n+1), make([]float64, n+1)
		for i := range x {
			x[i], b[i], y[i], product[i] = rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		}
		a[n], y[n], product[n] = 42, 42, 42
		start, factors := append([]float64(nil), y...), append([]float64(nil), product...)
		Narrow(a, x)
		AxpyNarrow(y[:n], 0.7, a)
		TimesNarrow(product[:n], a)
		wide := make([]float64, n+1)
		wide[n] = 42
		Widen(wide, a[:n])
		sum := 0.0
		for i, v := range x {
			single := float32(v)
			if wide[i] != float64(single) {
				t.Fatalf("length %d: %v is %v in double precision", n, single, wide[i])
			}
			if a[i] != single {
				t.Fatalf("length %d: %v is %v in single precision", n, v, a[i])
			}
			sum += float64(single) * b[i]
			if w := start[i] + 0.7*float64(single); math.Abs(y[i]-w) > 1e-15 {
				t.Fatalf("length %d: AxpyNarrow gives %v at %d, want %v", n, y[i], i, w)
			}
			if w := factors[i] * float64(single); product[i] != w {
				t.Fatalf("length %d: TimesNarrow gives %v at %d, want %v", n, product[i], i, w)
			}
		}
		if got := DotNarrow(a[:n], b); math.Abs(got-sum) > 1e-13 {
			t.Fatalf("length %d: DotNarrow %v, want %v", n, got, sum)
		}
		if a[n] != 42 || wide[n] != 42 || y[n] != 42 || product[n] != 42 {
			t.Fatalf("length %d: written beyond the end", n)
		}
	}
}
