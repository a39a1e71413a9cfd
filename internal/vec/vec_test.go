package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The operations agree with their definitions at every length, and touch nothing
// beyond it.
func TestAgainstTheDefinitions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		a, b := make([]float64, n), make([]float64, n+3)
		for i := range b {
			b[i] = r.NormFloat64()
		}
		sum, squares := 0.0, 0.0
		want := make([]float64, n)
		for i := range a {
			a[i] = r.NormFloat64()
			sum += a[i] * b[i]
			squares += a[i] * a[i]
			want[i] = a[i] + 0.7*b[i]
		}
		if got := Dot(a, b); math.Abs(got-sum) > 1e-13 {
			t.Errorf("length %d: Dot %g, want %g", n, got, sum)
		}
		if got := Norm(a); math.Abs(got-math.Sqrt(squares)) > 1e-13 {
			t.Errorf("length %d: Norm %g, want %g", n, got, math.Sqrt(squares))
		}
		longer := append(a, 42)
		Axpy(longer[:n], 0.7, b)
		for i, w := range want {
			if math.Abs(longer[i]-w) > 1e-15 {
				t.Errorf("length %d: Axpy gives %g at %d, want %g", n, longer[i], i, w)
			}
		}
		if longer[n] != 42 {
			t.Errorf("length %d: Axpy wrote beyond the end", n)
		}
	}
}

func TestShorterSecondVectorsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"Dot":  func() { Dot(make([]float64, 5), make([]float64, 4)) },
		"Axpy": func() { Axpy(make([]float64, 5), 1, make([]float64, 4)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes a shorter second vector", name)
				}
			}()
			f()
		}()
	}
}

func TestSymmetriseIsTheMeanWithTheTranspose(t *testing.T) {
	a := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	Symmetrise(a, 3)
	want := []float64{1, 3, 5, 3, 5, 7, 5, 7, 9}
	for i, v := range want {
		if a[i] != v {
			t.Errorf("value %d is %v, want %v", i, a[i], v)
		}
	}
}
