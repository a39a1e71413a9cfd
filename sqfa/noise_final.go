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

// deliver fits with the chosen noise. While the filters score below least, it also fits with more noise, because they
// may overfit, until that does not help, and then with less, and returns the filters with the highest score, and that
// score. It fits once with less noise if the filters coincide although the filters of the short search did not. If the
// fit takes much longer than the search, the filters of the search were far from their final values, especially with
// little noise. It then also fits the least noise, and uses that fit if its score is better by more than doubt, a
// function of the score. It returns filters with the largest possible score, most, without another fit.
func (s *noiseSearch) deliver(ctx context.Context, stats *gaussian.Statistics, opt Options, least, most float64,
	score func(filters *mat.Dense, noise float64) (float64, error), doubt func(reached float64) float64,
) (m *Model, reached float64, err error) {
	next := s.best()
	collapsed, lowest, highest, louder := next.collapsed, next.noise, next.noise, true
	if m, err = s.fit(ctx, stats, opt, next, s.rows > 0); err != nil || m.Report.Status == rao.StatusCanceled {
		return m, 0, err
	}
	if reached, err = score(m.Filters, m.Noise); err != nil {
		return nil, 0, err
	}
	for i := range moreFits {
		margin, several := 0.0, s.rows > 0
		more := s.bestOf(func(c *candidate) bool { return c.noise > highest })
		switch first := i == 0; {
		case ctx.Err() != nil || reached >= most:
			return m, reached, nil
		case louder && more != nil && reached < least:
			next = more
		case reached < least || first && !collapsed && span(m.Filters) < opt.Filters:
			next = s.bestOf(func(c *candidate) bool { return c.noise < lowest })
		case first && s.coarse && m.Report.Evaluations > longFit*s.evaluations:
			next = s.bestOf(func(c *candidate) bool { return c == s.tried[0] && c.noise < next.noise })
			margin, several = doubt(reached), true
		default:
			return m, reached, nil
		}
		if next == nil {
			break
		}
		lowest, highest, louder = min(lowest, next.noise), max(highest, next.noise), false
		other, err := s.fit(ctx, stats, opt, next, several)
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

// fit fits with the noise of a candidate, starting from the filters that were scored with it. Another start may have a
// better objective and still perform worse on unseen rows. Validation on rows gives several such filters; then other
// starts are tried too, but not with near pairs, where objectives cannot be compared. Classes with few rows are fitted
// as with a given noise.
func (s *noiseSearch) fit(ctx context.Context, stats *gaussian.Statistics, opt Options, c *candidate,
	several bool) (*Model, error) {
	opt.Noise = c.noise
	opt.also, opt.rough = c.filters, true
	if !several || opt.choosing(stats.NumClasses()) {
		opt.Start, opt.Initial = startGiven, c.filters[0]
	}
	known := *s.basis
	known.turned = nil
	opt.known = &known
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
