package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/testkit"
)

func TestExpAndTimesAgainstTheDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for n := range 70 {
		for _, size := range []float64{1e-9, 1, 30, 720} {
			x, y, product := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range x {
				x[i] = size * (2*rng.Float64() - 1)
				y[i], product[i] = x[i], rng.NormFloat64()
			}
			want := append([]float64(nil), product...)
			Exp(y, -700)
			Times(product, y)
			for i, v := range x {
				e := math.Exp(math.Min(v, 709))
				if v < -700 {
					e = 0
				}
				if !(math.Abs(y[i]-e) <= 1e-15*e) {
					t.Fatalf("%d values: exp(%v) is %v, want %v", n, v, y[i], e)
				}
				testkit.Equal(t, product[i], want[i]*y[i], n, "values:", want[i], "times", y[i])
			}
		}
	}
}

// The exponential of NaN is zero. Just above the smallest argument it is not zero.
func TestExpAtItsEnds(t *testing.T) {
	for _, n := range []int{1, 16, 17} {
		for _, c := range []struct{ x, floor, want float64 }{
			{math.NaN(), -30, 0}, {math.Inf(-1), -30, 0}, {-30, -30, math.Exp(-30)}, {math.Nextafter(-30, -31), -30, 0},
			{0, -30, 1}, {math.Inf(1), -30, math.Exp(709)}, {-708, -708, math.Exp(-708)},
		} {
			x := slices.Repeat([]float64{c.x}, n)
			Exp(x, c.floor)
			for _, v := range x {
				testkit.Near(t, v, c.want, 1e-15*c.want, fmt.Sprintf("%d values: exp(%v) above %v", n, c.x, c.floor))
			}
		}
	}
}

func BenchmarkExp(b *testing.B) {
	x, y := make([]float64, 512), make([]float64, 512)
	for i := range x {
		x[i] = -float64(i) / 20
	}
	for b.Loop() {
		copy(y, x)
		Exp(y, -30)
	}
}
