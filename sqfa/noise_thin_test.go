package sqfa_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"rao/gaussian"
	"rao/sqfa"
)

// A noise at which filters coincide is not chosen from statistics: after few iterations such filters differ by little,
// in directions where the classes of these rows happen to differ.
func TestNoiseFromStatisticsKeepsFiltersApart(t *testing.T) {
	set := &unseenSets[1]
	if set.name != "autoregressions" {
		t.Fatal("the sets changed")
	}
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 4242))
		x, labels := set.draw(rng, set.rows)
		tests, truth := set.draw(rng, set.test)
		stats, err := gaussian.Estimate(x, labels, nil)
		if err != nil {
			t.Fatal(err)
		}
		auto := fit(t, stats, sqfa.Options{Filters: set.filters, Noise: sqfa.AutoNoise})
		variance := math.Pow(stats.GlobalScale(), 2)
		fixed := fit(t, stats, sqfa.Options{Filters: set.filters, Noise: variance})
		a, b := noisyAccuracy(t, auto, stats, tests, truth), noisyAccuracy(t, fixed, stats, tests, truth)
		if a < b-0.02 {
			t.Errorf("draw %d: noise %.3g gives %.3f, the variance as noise %.3f", seed, auto.Noise/variance, a, b)
		}
	}
}
