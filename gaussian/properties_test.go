package gaussian

import (
	"math"
	"testing"
)

// What the table says of a dissimilarity is true of its values.
func TestPropertiesOfDissimilaritiesHold(t *testing.T) {
	bounds := 0
	for _, d := range allDissimilarities(t) {
		var v [1]float64
		err := d.Pairs(2, 2, 0).Values(v[:], []float64{0, 1, 2, 3}, []float64{1, 1, 1, 1, 4, 0, 0, 0})
		if !d.NeedsInverse() && err != nil {
			t.Errorf("%v needs no inverse: %v", d, err)
		}
		s, ok := d.ErrorBound()
		if !ok {
			continue
		}
		bounds++
		for _, g := range [][4]float64{{0, 1, 1, 1}, {0, 1, 0, 9}, {0, 4, 3, 0.5}} { // two means and deviations
			means, covs := []float64{g[0], g[2]}, []float64{g[1] * g[1], g[3] * g[3]}
			if err := d.Pairs(2, 1, 0).Values(v[:], means, covs); err != nil {
				t.Fatal(err)
			}
			for _, prior := range []float64{0.5, 0.2, 0.9} {
				most := math.Pow(prior, s) * math.Pow(1-prior, 1-s) * math.Exp(-v[0])
				if e := bayesError(prior, g); e > most+1e-9 {
					t.Errorf("%v: Bayes error %g above the bound %g", d, e, most)
				}
			}
		}
	}
	if bounds < 3 {
		t.Errorf("%d dissimilarities bound the error, want bhattacharyya and chernoff, of two weights", bounds)
	}
}

// bayesError integrates the smaller of two weighted densities.
func bayesError(prior float64, g [4]float64) float64 {
	density := func(x, mean, deviation float64) float64 {
		z := (x - mean) / deviation
		return math.Exp(-z*z/2) / deviation / math.Sqrt(2*math.Pi)
	}
	const step = 1e-3
	sum := 0.0
	for x := -60.0; x < 60; x += step {
		sum += step * math.Min(prior*density(x, g[0], g[1]), (1-prior)*density(x, g[2], g[3]))
	}
	return sum
}
