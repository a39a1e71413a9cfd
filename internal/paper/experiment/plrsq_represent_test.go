package experiment

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

// The pulls are the downhill slope of the cost −log P(y|X) + λ d²(X, W_y)/(2σ²) along
// the geodesics from the prototypes to X, times σ²/d².
func TestPullsAreTheGradientOfTheCost(t *testing.T) {
	r := Run{Short: true, Seed: 1}
	part, err := r.synParts(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	d := part[0]
	prototypes := spd.NewStack(len(d.Classes), d.Stack.Dim)
	if err := replaceMeans(context.Background(), prototypes, d, spd.Riemann); err != nil {
		t.Fatal(err)
	}
	const sigma2, weight, step = 2.0, 0.3, 1e-5
	p := make([]float64, prototypes.Count)
	for _, i := range []int{0, 45, 90, 130} {
		x, y := d.Stack.At(i), d.Labels[i]
		cost := func() float64 {
			d2, err := posteriorOf(p, prototypes, x, sigma2)
			if err != nil {
				t.Fatal(err)
			}
			return -math.Log(p[y]) + weight*d2[y]/(2*sigma2)
		}
		for l := range prototypes.Count {
			d2, err := posteriorOf(p, prototypes, x, sigma2)
			if err != nil {
				t.Fatal(err)
			}
			toPulls(p, y, weight)
			want := -p[l] * d2[l] / sigma2
			at := prototypes.Sym(l)
			var side [2]float64
			for k, a := range []float64{-step, step} {
				var moved mat.SymDense
				if err := spd.Geodesic(&moved, spd.Riemann, at, d.Stack.Sym(i), a); err != nil {
					t.Fatal(err)
				}
				prototypes.Set(l, &moved)
				side[k] = cost()
			}
			prototypes.Set(l, at)
			if got := (side[1] - side[0]) / (2 * step); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("matrix %d, prototype %d: slope %g, want %g", i, l, got, want)
			}
		}
	}
}
