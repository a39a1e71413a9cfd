package sqfa

import (
	"cmp"
	"math"
	"slices"
)

// collapse is the relative improvement of the held-out log-probability that collapsed filters must show to be chosen,
// because decisions from nearly equal features are unstable.
const collapse = 0.03

// best returns the first of the ranked candidates.
func (s *noiseSearch) best() *candidate { return s.ranked()[0] }

// finalTie is the number of standard errors of the mean difference of losses above which two finalists count as
// different. coarseTie replaces it for a growing search, because filters with little noise get worse in the iterations
// after the search.
const finalTie, coarseTie = 0.25, 1

// tinyRows is the number of rows up to which a class is tiny, if it also has at most one row per tinyColumns columns.
// tinyTie replaces finalTie for these classes.
const tinyRows, tinyColumns, tinyTie = 12, 4, 0.5

// ranked returns the candidates, best first. If there are finalists, only they are ranked. Among candidates that the
// rows cannot distinguish from the best, the one with the most noise comes first. Before them comes a finalist that
// classifies significantly more rows correctly. For classes with few rows, the expected noise has a Laplace prior: a
// decade away costs one nat. In tiny classes filters with little noise depend on the rows more than on the classes, so
// more noise counts as equal at a larger difference.
func (s *noiseSearch) ranked() []*candidate {
	list := s.tried
	if s.finalists != nil {
		list = s.finalists
	}
	if s.rows == 0 {
		return s.rankedByBound(list)
	}
	if s.expected > 0 && !s.tiny {
		posterior := func(c *candidate) float64 {
			expected := s.expected
			if c.pooled {
				expected = s.pooled
			}
			return float64(len(c.losses))*c.score - math.Abs(math.Log10(c.noise/expected))
		}
		out := slices.Clone(list)
		slices.SortStableFunc(out, func(a, b *candidate) int { return cmp.Compare(posterior(b), posterior(a)) })
		return out
	}
	errors := 0.0
	if s.tiny {
		errors = tinyTie
	} else if s.finalists != nil {
		if errors = finalTie; s.coarse {
			errors = coarseTie
		}
	}
	out, same := tied(list, errors)
	slices.SortStableFunc(out[:same], func(a, b *candidate) int { return cmp.Compare(b.noise, a.noise) })
	if c := mostAccurate(list); s.finalists != nil && c.beats(out[0], 2) {
		i := slices.Index(out, c)
		out = slices.Insert(slices.Delete(out, i, i+1), 0, c)
	}
	return out
}

// mostAccurate returns the candidate that classifies most held-out rows correctly.
func mostAccurate(list []*candidate) *candidate {
	return slices.MaxFunc(list, func(a, b *candidate) int { return cmp.Compare(a.accuracy, b.accuracy) })
}

// beats reports whether c is more accurate than o by more than a number of standard errors of the difference. For rows
// with heavy tails, the score can be the best for a noise of poor accuracy.
func (c *candidate) beats(o *candidate, errors float64) bool {
	n := float64(min(len(c.losses), len(o.losses)))
	spread := math.Sqrt((c.accuracy*(1-c.accuracy) + o.accuracy*(1-o.accuracy)) / max(1, n))
	return c.accuracy-o.accuracy > errors*spread
}

// tied returns the candidates in descending order of their scores, except that candidates with losses that cannot be
// distinguished from the best follow it directly. same is their number, including the best.
func tied(list []*candidate, errors float64) (out []*candidate, same int) {
	score := func(c *candidate) float64 {
		if c.collapsed && c.score < 0 { // the score is a log-probability
			return c.score * (1 + collapse)
		}
		return c.score
	}
	out = slices.Clone(list)
	slices.SortStableFunc(out, func(a, b *candidate) int { return cmp.Compare(score(b), score(a)) })
	best := out[0]
	var ties, rest []*candidate
	for i, c := range out {
		var sum, squares float64
		for r := range min(len(c.losses), len(best.losses)) { // the first rows have the same indices in both
			d := c.losses[r] - best.losses[r]
			sum, squares = sum+d, squares+d*d
		}
		spread := math.Sqrt(math.Max(0, squares-sum*sum/float64(max(1, len(c.losses)))))
		if i == 0 || len(c.losses) > 0 && errors > 0 && sum <= errors*spread {
			ties = append(ties, c)
		} else {
			rest = append(rest, c)
		}
	}
	return append(ties, rest...), len(ties)
}

// sameBound is the largest difference of the logarithms of two bounds that count as equal.
const sameBound = 0.025

// loudNoise is the multiple of the mean variance within the classes above which noise counts as loud, and preciseRows
// the number of rows per column that a class needs for precise bounds.
const loudNoise, preciseRows = 10, 5

// rankedByBound returns the candidates, best first. Candidates with a bound close to the lowest come first, in
// descending order of noise, except that loud noise comes last among them: filters learned with more noise depend less
// on how real classes differ from Gaussian ones. If bounds are precise, the first is swapped with the second if the
// second has less noise and a lower bound. The others follow in the order of their bounds.
func (s *noiseSearch) rankedByBound(list []*candidate) []*candidate {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	same := 0
	for same < len(out) && out[0].score-out[same].score <= sameBound*(out[0].score-s.alike) {
		same++
	}
	slices.SortStableFunc(out[:same], func(a, b *candidate) int {
		if loud := b.noise > s.loud; loud != (a.noise > s.loud) {
			if loud {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.noise, a.noise)
	})
	if s.precise && same > 1 && out[1].score > out[0].score && out[1].noise < out[0].noise {
		out[0], out[1] = out[1], out[0]
	}
	return out
}
