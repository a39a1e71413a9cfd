package sqfa

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
)

// moreFits is how many fits with less noise deliver tries.
const moreFits = 1

// deliver fits with the noise that was chosen, and with less where the filters then score below least, or coincide,
// which those of the few iterations of the search did not: of these the filters with the highest score are delivered,
// which is returned too.
func (s *noiseSearch) deliver(ctx context.Context, stats *gaussian.Statistics, opt Options, least float64,
	score func(filters *mat.Dense, noise float64) (float64, error)) (m *Model, reached float64, err error) {
	next := s.best()
	collapsed := next.collapsed
	if m, err = s.fit(ctx, stats, opt, next); err != nil || m.Report.Status == rao.Canceled {
		return m, 0, err
	}
	if reached, err = score(m.Filters, m.Noise); err != nil {
		return nil, 0, err
	}
	for range moreFits {
		if reached >= least && (collapsed || span(m.Filters) == opt.Filters) || ctx.Err() != nil {
			break
		}
		if next = s.below(next.noise); next == nil {
			break
		}
		other, err := s.fit(ctx, stats, opt, next)
		if err != nil {
			continue
		}
		passes, evaluations := m.Report.Passes+other.Report.Passes, m.Report.Evaluations+other.Report.Evaluations
		if a, err := score(other.Filters, other.Noise); err == nil && a > reached {
			m, reached = other, a
		}
		m.Report.Passes, m.Report.Evaluations = passes, evaluations
	}
	return m, reached, nil
}

// fit fits with the noise of a candidate, from the filters that were scored with it: another start may have a better
// objective and still do worse on rows that it has not seen. By rows there are several of these, and classes of few
// rows are fitted as with the noise given.
func (s *noiseSearch) fit(ctx context.Context, stats *gaussian.Statistics, opt Options, c *candidate) (*Model, error) {
	opt.Noise, opt.AutoNoise = c.noise, false
	opt.also, opt.rough = c.filters, true
	if s.rows == 0 {
		opt.Start, opt.Initial = Given, c.filters[0]
	}
	m, err := fitStarts(ctx, stats, opt)
	if err != nil {
		return nil, err
	}
	for _, c := range s.tried {
		m.NoiseGrid, m.NoiseScores = append(m.NoiseGrid, c.noise), append(m.NoiseScores, c.score)
		if s.rows > 0 {
			m.NoiseAccuracies = append(m.NoiseAccuracies, c.accuracy)
		}
	}
	m.NoiseRows = s.rows
	return m, nil
}

// below returns the best candidate of less noise, as the first rows tell, nil where there is none.
func (s *noiseSearch) below(noise float64) *candidate {
	less := *s
	less.finalists = nil
	less.tried = slices.DeleteFunc(slices.Clone(s.tried), func(c *candidate) bool { return c.noise >= noise })
	if len(less.tried) == 0 {
		return nil
	}
	return less.best()
}

// copyChoice takes over how the noise was chosen.
func copyChoice(dst, src *Model) {
	dst.NoiseGrid, dst.NoiseScores = src.NoiseGrid, src.NoiseScores
	dst.NoiseAccuracies, dst.NoiseRows = src.NoiseAccuracies, src.NoiseRows
	dst.Warnings = append(dst.Warnings, src.Warnings...)
}
