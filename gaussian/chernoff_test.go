package gaussian_test

import (
	"fmt"
	"math"
	"testing"

	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/gaussiancheck"
	"rao/internal/testkit"
)

// The best exponent gives the largest value: it is compared with a fine grid of fixed exponents and with closed forms.
func TestBestChernoffIsTheLargest(t *testing.T) {
	const c, m = 5, 3
	means, covs := gaussiancheck.Random(11, c, m, true)
	value := func(d gaussian.Dissimilarity) []float64 {
		out := make([]float64, classcolumns.NumPairs(c))
		testkit.NoError(t, d.Pairs(nil, c, m, 0).Values(out, means, covs))
		return out
	}
	best, grid := value(gaussian.ChernoffBest), make([]float64, classcolumns.NumPairs(c))
	for k := 1; k < 1000; k++ {
		for p, v := range value(gaussian.Dissimilarity(fmt.Sprintf("chernoff:%g", float64(k)/1000))) {
			grid[p] = math.Max(grid[p], v)
		}
	}
	for p, v := range best {
		if v < grid[p]-1e-12 || v > grid[p]+1e-5*(1+grid[p]) {
			t.Errorf("pair %d: %.12g, the best of the grid is %.12g", p, v, grid[p])
		}
	}
	if best[0] > 1e-12 {
		t.Errorf("equal Gaussians are %g apart", best[0])
	}
}

// In one dimension, with equal means and variances 1 and v, the best s solves (v-1)/(s v+1-s) = log v. This follows
// from the derivative of the definition.
func TestBestChernoffOfTwoVariances(t *testing.T) {
	for _, v := range []float64{1e-4, 0.3, 5, 1e6} {
		got := make([]float64, 1)
		testkit.NoError(t, gaussian.ChernoffBest.Pairs(nil, 2, 1, 0).Values(got, []float64{2, 2},
			[]float64{v, 1}))
		s := 1/math.Log(v) - 1/(v-1)
		want := (math.Log(s*v+1-s) - s*math.Log(v)) / 2
		testkit.Near(t, got[0], want, 1e-10*(1+want), "variance", v)
	}
}

// With equal covariances, the best exponent is a half, and the dissimilarity is an eighth of the squared Mahalanobis
// distance.
func TestBestChernoffOfEqualCovariances(t *testing.T) {
	got := make([]float64, 1)
	covs := []float64{2, 0.5, 0.5, 1, 2, 0.5, 0.5, 1}
	testkit.NoError(t, gaussian.ChernoffBest.Pairs(nil, 2, 2, 0).Values(got, []float64{1, 0, 0, 3},
		covs))
	// d = (1,-3), S⁻¹ = [1 -.5; -.5 2]/1.75: d'S⁻¹d = (1 + 3 + 18)/1.75
	testkit.Near(t, got[0], 22/1.75/8, 1e-12)
}
