package experiment

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/spd"
)

// The pulls are the downhill slope of the cost −log P(y|X) + λ d²(X, W_y)/(2σ²) along
// the geodesics from the prototypes to X, times σ²/d².
func TestPullsAreTheGradientOfTheCost(t *testing.T) {
	r := Run{Short: true, Seed: 1}
	part := testkit.Must(r.synParts(1, 0))(t)
	d := part[0]
	prototypes := spd.NewStack(len(d.Classes), d.Stack.Dim)
	testkit.NoError(t, replaceMeans(context.Background(), prototypes, d, spd.Riemann))
	const sigma2, weight, step = 2.0, 0.3, 1e-5
	p := make([]float64, prototypes.Count)
	for _, i := range []int{0, 45, 90, 130} {
		x, y := d.Stack.At(i), d.Labels[i]
		cost := func() float64 {
			d2 := testkit.Must(posteriorOf(p, prototypes, x, sigma2))(t)
			return -math.Log(p[y]) + weight*d2[y]/(2*sigma2)
		}
		for l := range prototypes.Count {
			d2 := testkit.Must(posteriorOf(p, prototypes, x, sigma2))(t)
			toPulls(p, y, weight)
			want := -p[l] * d2[l] / sigma2
			at := prototypes.Sym(l)
			var side [2]float64
			for k, a := range []float64{-step, step} {
				var moved mat.SymDense
				testkit.NoError(t, spd.Geodesic(&moved, spd.Riemann, at, d.Stack.Sym(i), a))
				prototypes.Set(l, &moved)
				side[k] = cost()
			}
			prototypes.Set(l, at)
			testkit.Near(t, (side[1]-side[0])/(2*step), want, 1e-6*(1+math.Abs(want)), "matrix", i, "prototype",
				l, "slope")
		}
	}
}
