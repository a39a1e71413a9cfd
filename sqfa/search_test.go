package sqfa

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/testkit"
)

// A search covers all of its range, however bad the scores become on the way, and then looks on both sides of the best.
func TestNoiseSearchCoversItsRange(t *testing.T) {
	var s noiseSearch
	var seen []float64
	err := s.run(context.Background(), 1e-6, 1e2, func(c *candidate, final bool) {
		if !final {
			seen = append(seen, c.noise)
		}
		c.score = -math.Abs(math.Log10(c.noise) + 4)
		if c.noise > 1e-2 {
			c.score = -10 - c.noise // a desert before the best
		}
	})
	testkit.NoError(t, err)
	if len(seen) != 7 || math.Abs(seen[0]-1e2) > 1e-9 || math.Abs(seen[4]-1e-6) > 1e-15 {
		t.Errorf("tried %.3g", seen)
	}
	if best := s.best().noise; math.Abs(math.Log10(best)+4) > 1e-9 {
		t.Errorf("best noise %g, want 1e-4", best)
	}
}

// Scores that are not finite are failures, and a search in which all fail is an error.
func TestNoiseSearchFails(t *testing.T) {
	var s noiseSearch
	some := func(c *candidate, _ bool) {
		switch {
		case c.noise > 0.5:
			c.score = math.Inf(-1)
		case c.noise > 0.05:
			c.score = math.NaN()
		case c.noise < 0.005:
			c.err = errors.New("singular")
		default:
			c.score = -3
		}
	}
	testkit.NoError(t, s.run(context.Background(), 1e-3, 1, some))
	for _, c := range s.tried {
		testkit.Equal(t, c.score, -3, "noise", c.noise, "with score")
	}
	var none noiseSearch
	err := none.run(context.Background(), 1e-3, 1, func(c *candidate, _ bool) { c.score = math.Inf(1) })
	testkit.ErrorContains(t, err, "no noise between 0.001 and 1")
}

// Filters that nearly coincide span one dimension, and in a tie a candidate whose filters differ is chosen.
func TestSpanOfCollapsedFilters(t *testing.T) {
	f := mat.NewDense(3, 2, []float64{1, 1, 0, 1e-5, 0, 0})
	testkit.Equal(t, span(f), 1, "dimensions of two filters 1e-5 apart")
	f.Set(1, 1, 0.1)
	testkit.Equal(t, span(f), 2, "dimensions of two filters 0.1 apart")
	s := noiseSearch{rows: 1000}
	s.tried = []*candidate{{noise: 1, score: -0.300, accuracy: 0.9, collapsed: true}, {noise: 2, score: -0.305,
		accuracy: 0.9}}
	testkit.Equal(t, s.best().noise, 2, "a tie goes to collapsed filters")
}

// Rows far from Gaussian can give the best score to a noise with which many more rows are wrong.
func TestMuchMoreAccurateNoiseIsChosen(t *testing.T) {
	for accuracy, want := range map[float64]float64{0.65: 1e-6, 0.57: 10} { // of the least noise; 0.55 of the others
		s := noiseSearch{rows: 400}
		testkit.NoError(t, s.run(t.Context(), 1e-6, 1, func(c *candidate, _ bool) {
			c.score, c.accuracy, c.losses = 0.01*math.Log10(c.noise)-1, 0.55, make([]float64, 400)
			if c.noise < 2e-6 {
				c.accuracy = accuracy
			}
		}))
		testkit.Near(t, s.best().noise/want, 1, 1e-9, "accuracy", accuracy)
	}
}

// The short fit of a candidate by its bound is continued only when the candidates next to the best have been tried.
func TestNoiseSearchContinuesOneFit(t *testing.T) {
	var s noiseSearch
	var continued []float64
	err := s.run(context.Background(), 1e-4, 1, func(c *candidate, final bool) {
		if final {
			continued = append(continued, c.noise)
		}
		c.score = -math.Abs(math.Log10(c.noise) + 1.1) // the best is 0.1, between two noises that are tried first
	})
	testkit.NoError(t, err)
	if len(continued) != 1 || math.Abs(continued[0]-0.1) > 1e-12 {
		t.Errorf("continued the fits of noises %.3g, want 0.1", continued)
	}
}

// Discriminants and contrasts are computed once for noises that are small compared with the variance within the
// classes, and separately for others.
func TestStartsOfSmallNoisesAreShared(t *testing.T) {
	const n, c = 6, 3
	stats := gaussian.New([]string{"a", "b", "c"}, n)
	for i := range c {
		stats.Counts[i] = 50
		stats.Means[i*n+i] = 1
		for j := range n {
			stats.Covariances[(i*n+j)*n+j] = 1 + float64(i*j)/10
		}
	}
	b := testkit.Must(newStartBasis(stats, 2))(t)
	large, small, least := b.ownDirections(stats, 2, 10), b.ownDirections(stats, 2, 0.01),
		b.ownDirections(stats, 2, 1e-4)
	testkit.Equal(t, len(b.turned), 2, "noises computed")
	if len(large) != 2 || len(small) != 2 || len(least) != 2 {
		t.Fatalf("%d, %d and %d starts, want 2 each", len(large), len(small), len(least))
	}
	small[0][0]++ // a fit may change its start
	if want := b.directions(stats, 2, 0.01); !slices.Equal(least[0], want[0]) || !slices.Equal(least[1], want[1]) {
		t.Error("the starts of the smallest noise are not those of the small one")
	}
}

// A candidate is hopeless if its bound is much worse than the best so far, in relation to the bound of identical
// classes.
func TestHopelessCandidates(t *testing.T) {
	s := noiseSearch{alike: -2}
	if s.hopeless(-100) {
		t.Error("the first candidate is hopeless")
	}
	s.tried = []*candidate{{noise: 0.01, score: -1.5}, {noise: 1, score: -1}}
	for score, want := range map[float64]bool{-0.5: false, -1: false, -1.04: false, -1.06: true, -1.5: true} {
		testkit.Equal(t, s.hopeless(score), want, "score", score)
	}
}
