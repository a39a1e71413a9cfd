package gaussian

import (
	"math"
	"slices"
	"testing"
)

func TestPairsOfAList(t *testing.T) {
	for _, d := range allDissimilarities(t) {
		checkPairLists(t, d)
	}
}

// checkPairLists is part of the battery of every dissimilarity. A list of pairs, in any order and
// either way round, gives the values of those pairs among all, and the gradient of all with the
// other weights zero.
func checkPairLists(t *testing.T, d Dissimilarity) {
	t.Helper()
	const c, m = 6, 3
	means, covs := randomGaussians(11, c, m, false)
	lists := [][]Pair{nil, {{1, 2}}, {{4, 5}, {0, 3}, {2, 4}, {0, 1}}}
	if f := lookup(d.name()); !f.weighted || d.weight() == 0.5 { // it is symmetric
		lists = append(lists, []Pair{{5, 4}, {0, 3}, {3, 1}})
	}
	every, all := d.Pairs(c, m, Smoothing), make([]float64, NumPairs(c))
	if err := every.Values(all, means, covs); err != nil {
		t.Fatal(d, err)
	}
	for _, list := range lists {
		some, few := d.PairsOf(list, c, m, Smoothing), make([]float64, len(list))
		if err := some.Values(few, means, covs); err != nil {
			t.Fatal(d, err)
		}
		weights, own := make([]float64, len(all)), make([]float64, len(list))
		for p, x := range list {
			own[p] = 0.5 + float64(p)
			at := PairIndex(min(x.I, x.J), max(x.I, x.J), c)
			weights[at] = own[p]
			if want := all[at]; math.Abs(few[p]-want) > 1e-9*(1+want) {
				t.Errorf("%v: pair %v is %.12g in the list, %.12g among all", d, x, few[p], want)
			}
		}
		gm, gs := make([]float64, c*m), make([]float64, c*m*m)
		hm, hs := make([]float64, c*m), make([]float64, c*m*m)
		every.Gradient(gm, gs, weights)
		some.Gradient(hm, hs, own)
		for i := range gs {
			if math.Abs(gs[i]-hs[i]) > 1e-7*(1+math.Abs(gs[i])) ||
				math.Abs(gm[i%len(gm)]-hm[i%len(gm)]) > 1e-7*(1+math.Abs(gm[i%len(gm)])) {
				t.Fatalf("%v: gradient of the list %v differs at %d", d, list, i)
			}
		}
	}
}

func TestPairsOfRefusesWhatIsNoPair(t *testing.T) {
	for _, bad := range []Pair{{1, 1}, {-1, 0}, {0, 3}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("pair %v among 3 passes", bad)
				}
			}()
			Dissimilarity{}.PairsOf([]Pair{bad}, 3, 2, 0)
		}()
	}
}

// Pairs in blocks, whose matrices are computed again for the gradient, give the bits of all
// at once.
func TestPairsInBlocks(t *testing.T) {
	const c, m = 20, 4
	x, labels := sample(31, 2000, m, c, 0)
	s := estimate(t, x, labels)
	n := NumPairs(c)
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
		if err := k.values(out[:n], s.Means, s.Covariances); err != nil {
			t.Fatal(err)
		}
		k.gradient(out[n:n+c*m], out[n+c*m:], weights)
		return out
	}
	for _, best := range []bool{false, true} {
		if want := results(best, 0); !slices.Equal(results(best, 2*pairGrain), want) {
			t.Errorf("best exponent %v: in blocks other bits", best)
		}
	}
}
