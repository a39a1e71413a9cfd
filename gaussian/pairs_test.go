package gaussian

import (
	"math"
	"testing"

	"rao/internal/classcolumns"
	"rao/internal/testkit"
)

func TestPairsOfRejectsInvalidPairs(t *testing.T) {
	for _, bad := range []Pair{{1, 1}, {-1, 0}, {0, 3}} {
		testkit.Panics(t, func() { CalvoOller.Pairs([]Pair{bad}, 3, 2, 0) }, "pair", bad, "of 3")
	}
}

// Pairs computed in blocks, whose matrices are computed again for the gradient, have the same bits as pairs computed at
// once.
func TestPairsInBlocks(t *testing.T) {
	const c, m = 20, 4
	x, labels := sample(31, 2000, m, c, 0)
	s := estimate(t, x, labels)
	n := classcolumns.NumPairs(c)
	weights := make([]float64, n)
	for p := range weights {
		weights[p] = math.Sin(float64(p))
	}
	results := func(best bool, block int) []float64 {
		k := newMixed(allPairs(c), m, 0.5, 0.125, 0.5)
		if best {
			k = newChernoffBest(allPairs(c), m)
		}
		if block > 0 {
			k.block = block
		}
		out := make([]float64, n+c*m+c*m*m)
		testkit.NoError(t, k.values(out[:n], s.Means, s.Covariances))
		k.gradient(out[n:n+c*m], out[n+c*m:], weights)
		return out
	}
	for _, best := range []bool{false, true} {
		testkit.EqualSlices(t, results(best, 2*pairGrain), results(best, 0), "best exponent", best,
			"in blocks other bits")
	}
}
