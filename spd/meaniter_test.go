package spd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// The exponential of a short step, computed by a series, equals the exponential computed from the eigenvalues, which
// long steps use.
func TestExponentialsOfSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{1, 2, 5, 22} {
		for _, length := range []float64{0, 1e-200, 1e-9, 0.01, 0.3, 0.5} {
			z := testkit.Normals(rng, n*n)
			vec.Symmetrize(z, n)
			size := vec.Norm(z)
			for i := range z {
				z[i] *= length / size
			}
			var series, spectrum exponentials
			testkit.NoError(t, series.halves(z, n))
			testkit.NoError(t, spectrum.bySpectrum(z, n))
			for i := range z {
				if d := math.Abs(series.plus[i] - spectrum.plus[i]); !(d <= 1e-14) {
					t.Fatalf("order %d, length %g: exp(Z/2) is off by %g", n, length, d)
				}
				if d := math.Abs(series.minus[i] - spectrum.minus[i]); !(d <= 1e-14) {
					t.Fatalf("order %d, length %g: exp(-Z/2) is off by %g", n, length, d)
				}
			}
		}
	}
	var e exponentials
	testkit.Fails(t, e.halves(slices.Repeat([]float64{math.NaN()}, 4), 2), "a step that is not a number has no error")
}
