package sqfa

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
)

// moreFits is the largest number of fits with other noises that deliver tries. A fit counts as much longer than the
// search if it needs more than longFit times the evaluations of the search.
const moreFits, longFit = 3, 3

// deliver fits with the chosen noise, and returns the filters with the highest score among its fits, and that score.
//
// If the filters score below least, the filters of the folds, at which the fit started, depend on a few rows, such as
// outliers. deliver then fits again from the starts of a fit with a given noise: with the same noise, then with more
// while that helps and the score is below least, and then with less. For tiny classes it only fits with more and then
// with less noise, because their fits are so short that starting again takes longer than the rest. It fits once with
// less noise if the filters coincide although the filters of the short search did not.
//
// If the fit takes much longer than the search, the filters of the search were far from their final values, especially
// with little noise. deliver then also fits the least noise, and uses that fit if its score is better by more than
// doubt, a function of the score. It returns filters with the largest possible score, most, without another fit.
func (s *noiseSearch) deliver(ctx context.Context, stats *gaussian.Statistics, opt plan, least, most float64,
	score func(filters *mat.Dense, noise float64) (float64, error), doubt func(reached float64) float64,
) (m *Model, reached float64, err error) {
	next := s.best()
	collapsed, lowest, highest, louder := next.collapsed, next.noise, next.noise, true
	if m, err = s.fit(ctx, stats, opt, next, s.startsOf()); err != nil || m.Report.Status == rao.StatusCanceled {
		return m, 0, err
	}
	if reached, err = score(m.Filters, m.Noise); err != nil {
		return nil, 0, err
	}
	coincide := !collapsed && span(m.Filters) < opt.Filters
	again := reached < least && !s.tiny
	for i := range moreFits {
		margin, starts := 0.0, s.startsOf()
		if again {
			starts = ownStarts
		}
		more := s.bestOf(func(c *candidate) bool { return c.noise > highest })
		switch first := i == 0; {
		case ctx.Err() != nil || reached >= most:
			return m, reached, nil
		case first && again:
		case louder && more != nil && reached < least:
			next, louder = more, false
		case again || reached < least || first && coincide:
			next, louder = s.bestOf(func(c *candidate) bool { return c.noise < lowest }), false
		case first && s.coarse && m.Report.Evaluations > longFit*s.evaluations:
			next = s.bestOf(func(c *candidate) bool { return c == s.tried[0] && c.noise < next.noise })
			margin, starts = doubt(reached), allStarts
		default:
			return m, reached, nil
		}
		if next == nil {
			break
		}
		lowest, highest = min(lowest, next.noise), max(highest, next.noise)
		other, err := s.fit(ctx, stats, opt, next, starts)
		if err != nil {
			continue
		}
		passes, evaluations := m.Report.Passes+other.Report.Passes, m.Report.Evaluations+other.Report.Evaluations
		if a, err := score(other.Filters, other.Noise); err == nil && a > reached+margin {
			m, reached, louder = other, a, true
		}
		m.Report.Passes, m.Report.Evaluations = passes, evaluations
	}
	return m, reached, nil
}

// finalStarts selects where a final fit starts: at the filters of the candidate, at the best of these and other starts,
// or where a fit with a given noise starts.
type finalStarts int

const (
	candidateStarts finalStarts = iota
	allStarts
	ownStarts
)

// startsOf returns where the first final fit starts. Another start may have a better objective and still perform worse
// on unseen rows. Validation on rows gives several filters; then other starts are tried too.
func (s *noiseSearch) startsOf() finalStarts {
	if s.rows > 0 {
		return allStarts
	}
	return candidateStarts
}

// fit fits with the noise of a candidate. With near pairs, where objectives cannot be compared, it starts only at the
// filters of the candidate. Classes with few rows are fitted as with a given noise.
func (s *noiseSearch) fit(ctx context.Context, stats *gaussian.Statistics, opt plan, c *candidate,
	starts finalStarts) (*Model, error) {
	opt.Noise = c.noise
	if starts != ownStarts {
		opt.also, opt.rough = c.filters, true
		known := *s.basis
		known.turned = nil
		opt.known = &known
	}
	if starts == candidateStarts || opt.choosing(stats.NumClasses()) {
		opt.Start, opt.Initial = startGiven, c.filters[0]
	}
	if c.pooled {
		stats, opt.known = s.shrunk.statistics(), nil
	}
	m, err := fitStarts(ctx, stats, opt)
	if err != nil {
		return nil, err
	}
	if c.pooled {
		m.Shrinkage = s.shrunk.weight
	}
	for _, t := range s.tried {
		if t.pooled == c.pooled {
			m.NoiseGrid, m.NoiseScores = append(m.NoiseGrid, t.noise), append(m.NoiseScores, t.score)
			if s.rows > 0 {
				m.NoiseAccuracies = append(m.NoiseAccuracies, t.accuracy)
			}
		}
	}
	m.NoiseRows = s.rows
	return m, nil
}

// bestOf returns the best of the selected candidates according to the first rows, or nil if none is selected.
func (s *noiseSearch) bestOf(selected func(*candidate) bool) *candidate {
	some := *s
	some.finalists = nil
	some.tried = slices.DeleteFunc(slices.Clone(s.tried), func(c *candidate) bool { return !selected(c) })
	if len(some.tried) == 0 {
		return nil
	}
	return some.best()
}

// copyChoice copies how the noise was chosen.
func copyChoice(dst, src *Model) {
	dst.NoiseGrid, dst.NoiseScores = src.NoiseGrid, src.NoiseScores
	dst.NoiseAccuracies, dst.NoiseRows, dst.Shrinkage = src.NoiseAccuracies, src.NoiseRows, src.Shrinkage
	dst.Warnings = append(dst.Warnings, src.Warnings...)
}
