package experiment

import (
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/testkit"
)

// The integral over directions equals the closed form if only one dimension differs, and agrees with simulated draws in
// other cases.
func TestExactBayesError(t *testing.T) {
	for _, v := range []float64{0.01, 0.3, 0.9, 1, 1.2, 5, 80} {
		testkit.Near(t, bayesZeroMean(v, 1), bayesZeroMean1(v), 1e-4, "integral for variance", v)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, v := range [][]float64{{0.2, 4}, {3, 7}, {0.1, 0.5}, {30, 0.9}} {
		got, want := bayesZeroMean(v[0], v[1]), simulatedZeroMean(rng, v, 100000)
		if sd := math.Sqrt(want * (1 - want) / 200000); math.Abs(got-want) > 5*sd {
			t.Errorf("variances %v: %.5f exact, %.5f ± %.5f by draws", v, got, want, sd)
		}
	}
	testkit.Near(t, bayesZeroMean1(4), bayesZeroMean1(0.25), 1e-12, "errors of ratios 4 and 1/4")
}

// The squared Fisher-Rao distance of diagonal Gaussians is half the sum of squared log ratios; the Bhattacharyya
// distance is the library's.
func TestZeroMeanDistances(t *testing.T) {
	s := zeroMeanPair(2, 1.5)(rand.New(rand.NewPCG(1, 1)))
	a, b := s.Covariance(0).At(0, 0), s.Covariance(0).At(1, 1)
	for name, want := range map[string]float64{"fisher_rao": fisherRaoZeroMean(a, b),
		"bhattacharyya": bhattacharyyaZeroMean(a, b)} {
		got := testkit.Must(pairDistance(s, name))(t)
		testkit.Near(t, got, want, 1e-9*want, name)
	}
}
