package sqfa

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
)

// candidate is a noise that was tried.
type candidate struct {
	noise, score, accuracy float64
	filters                []*mat.Dense // learned with it: one matrix, or one for each fold
	logp                   []*mat.Dense // of the rows of each fold
	collapsed              bool         // some of the filters are nearly combinations of the others
	err                    error        // why there is no score
}

// noiseSearch tries noises between the smallest variance within the classes and the largest
// of all, and keeps those with a score in ascending order.
type noiseSearch struct {
	tried     []*candidate
	finalists []*candidate // that were validated on all folds, where the others were not
	rows      int          // held out; 0: the scores are bounds
	alike     float64      // the score of classes that are all alike, of bounds
}

// noiseRange returns the ends of the range that is searched: a tenth of the smallest variance within
// the classes in any direction, which is next to none, or noiseFloor, and the largest variance of all.
func noiseRange(stats *gaussian.Statistics, basis *startBasis) (lo, hi float64) {
	hi = basis.largest
	return math.Max(basis.smallest(stats.Dim)/10, noiseFloor*hi), hi
}

// noiseFloor is the smallest noise that is tried, as a fraction of the largest.
const noiseFloor = 1e-8

// run tries noises a decade apart over all of the range, and then half-way between the best and
// its neighbors.
func (s *noiseSearch) run(ctx context.Context, lo, hi float64, try func(c *candidate)) error {
	var failed error
	attempt := func(noise float64) {
		if ctx.Err() != nil && len(s.tried) > 0 {
			return
		}
		c := &candidate{noise: noise}
		try(c)
		if c.check(); c.err != nil {
			failed = c.err
			return
		}
		i, _ := slices.BinarySearchFunc(s.tried, noise, func(c *candidate, x float64) int {
			return cmp.Compare(c.noise, x)
		})
		s.tried = slices.Insert(s.tried, i, c)
	}
	steps := int(math.Ceil(math.Log10(hi/lo) - 1e-9))
	ratio := math.Pow(lo/hi, 1/float64(max(1, steps)))
	for i := range steps + 1 {
		attempt(hi * math.Pow(ratio, float64(i)))
	}
	if len(s.tried) == 0 {
		return fmt.Errorf("no noise between %.3g and %.3g can be validated: %w", lo, hi, failed)
	}
	middle := s.best().noise
	attempt(middle * math.Sqrt(ratio))
	attempt(middle / math.Sqrt(ratio))
	return nil
}

// check makes a score that is not finite a failure, and looks at the filters.
func (c *candidate) check() {
	for _, f := range c.filters {
		c.collapsed = c.collapsed || f != nil && Span(f) < f.RawMatrix().Cols
	}
	if c.err == nil && (math.IsInf(c.score, 0) || math.IsNaN(c.score)) {
		c.err = fmt.Errorf("noise %.3g gives no finite score", c.noise)
	}
}

// collapse is how much better, relatively, a held-out log-probability has to be where filters are
// collapsed: what a classifier makes of nearly equal features hangs on little.
const collapse = 0.03

// best returns the candidate to choose: of those whose accuracy is within a standard error of the
// highest, the one with the highest score.
func (s *noiseSearch) best() *candidate { return s.ranked()[0] }

// ranked returns the candidates, the better the earlier: those that accuracy does not rule out
// come first, and each part is in descending order of the scores. Of the scores of scans and of
// finalists only the latter count where there are any.
func (s *noiseSearch) ranked() []*candidate {
	list := s.tried
	if s.finalists != nil {
		list = s.finalists
	}
	if s.rows == 0 {
		return rankedByBound(list, s.alike)
	}
	top, out := 0.0, slices.Clone(list)
	for _, c := range list {
		top = math.Max(top, c.accuracy)
	}
	top -= math.Sqrt(top * (1 - top) / float64(s.rows))
	ruledOut := func(c *candidate) int {
		if c.accuracy < top {
			return 1
		}
		return 0
	}
	score := func(c *candidate) float64 {
		if c.collapsed { // a log-probability, below 0
			return c.score * (1 + collapse)
		}
		return c.score
	}
	slices.SortStableFunc(out, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(ruledOut(a), ruledOut(b)), cmp.Compare(score(b), score(a)))
	})
	return out
}

// sameBound is the difference of the logarithms of two bounds that says nothing.
const sameBound = 0.025

// rankedByBound returns the candidates, the better the earlier: first those whose bound is about
// the lowest, in descending order of the noise, as more of it makes filters that depend less on
// what classes of real data are beyond Gaussian. The others follow by their bounds.
func rankedByBound(list []*candidate, alike float64) []*candidate {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	same := 0
	for same < len(out) && out[0].score-out[same].score <= sameBound*(out[0].score-alike) {
		same++
	}
	slices.SortStableFunc(out[:same], func(a, b *candidate) int { return cmp.Compare(b.noise, a.noise) })
	return out
}

// path fits for one candidate after another, all of them to the same statistics.
type path struct {
	stats  *gaussian.Statistics
	opt    Options
	passes int
}

// A candidate needs no more iterations than these, or times that a subspace grows, and no tolerance
// below: its score is coarser.
const searchIterations, searchGrowths, searchTol = 40, 5, 1e-4

func newPath(stats *gaussian.Statistics, opt Options) (*path, error) {
	opt.Starts, opt.Progress = 1, nil
	opt.Tol, opt.MaxIter, opt.rough = math.Max(opt.Tol, searchTol), min(opt.MaxIter, searchIterations), true
	if opt.growing(stats.Dim) {
		opt.MaxIter = min(opt.MaxIter, searchGrowths)
		opt.space = newSubspace(stats, roomFor(stats.NumClasses(), stats.Dim, opt.Filters, opt.Coarse))
	}
	var err error
	opt.known, err = newStartBasis(stats, opt.Filters)
	return &path{stats: stats, opt: opt, passes: 1}, err
}

// fit returns the filters for a noise, from starts of its own.
func (p *path) fit(ctx context.Context, noise float64) (*mat.Dense, error) {
	o := p.opt
	o.Noise = noise
	m, err := fitStarts(ctx, p.stats, o)
	if err != nil {
		return nil, err
	}
	p.passes += m.Report.Passes
	return m.Filters, nil
}

// features returns the statistics of the features of filters that fit gave, without noise: from
// the subspace of its search where they lie in that.
func (p *path) features(filters *mat.Dense) *gaussian.Statistics {
	if s := p.opt.space; s != nil && s.q > 0 {
		_, m := filters.Dims()
		f := values(filters)
		x := s.coordinates(f, m)
		if inside, all := vec.Dot(x, x), vec.Dot(f, f); inside >= (1-1e-12)*all {
			return featuresOf(s.reduced(), x, m, 0)
		}
	}
	return p.stats.Project(filters)
}

// doubt is the part of the mean covariance of the classes that fitByBound adds to each: it does
// not believe that a class has less variance in any direction, as real classes are too far from
// Gaussian for that. It goes with the features, so their units do not matter. With few rows for the
// dimensions, filters find differences that are none, which it counts by their ratio.
func doubt(stats *gaussian.Statistics) float64 {
	rows := 0
	for _, n := range stats.Counts {
		rows += n
	}
	return 0.2 + 5*float64(stats.Dim)/float64(max(rows, 1))
}

// fitByBound chooses the noise from the statistics alone: the candidate whose
// features have the lowest union bound on the error of the Bayes classifier,
// Σ sqrt(p_i p_j) exp(-B_ij), of covariances that are shrunk by OAS, so that few
// observations do not look like certainty, and bounded below by doubt.
// The filters are those of that candidate, brought to the tolerance.
func fitByBound(ctx context.Context, stats *gaussian.Statistics, opt Options) (*Model, error) {
	p, err := newPath(stats, opt)
	if err != nil {
		return nil, err
	}
	lo, hi := noiseRange(stats, p.opt.known)
	search := noiseSearch{}
	if search.alike, err = p.boundWithout(); err != nil {
		return nil, err
	}
	err = search.run(ctx, lo, hi, func(c *candidate) {
		var filters *mat.Dense
		if filters, c.err = p.fit(ctx, c.noise); c.err != nil {
			return
		}
		c.filters = []*mat.Dense{filters}
		c.score, c.err = p.bound(filters)
		opt.Progress.Send(rao.Event{Stage: "noise", Done: len(search.tried) + 1})
	})
	if err != nil {
		return nil, err
	}
	return search.fit(ctx, stats, opt, p.passes+1)
}

// bound returns minus the logarithm of the union bound on the error of the Bayes classifier behind
// the filters, as fitByBound judges them.
func (p *path) bound(filters *mat.Dense) (float64, error) {
	features, _, err := p.features(filters).Shrink(gaussian.OAS, 0)
	if err != nil {
		return 0, err
	}
	within, part := withinCovariance(features, features.Priors()), doubt(p.stats)
	for i := range features.NumClasses() {
		vec.Axpy(features.Covariances[i*len(within):(i+1)*len(within)], part, within)
	}
	return p.boundOn(features)
}

// boundWithout returns the bound for classes that are all alike.
func (p *path) boundWithout() (float64, error) {
	features := gaussian.New(p.stats.Classes, 1)
	for i := range features.Covariances {
		features.Covariances[i] = 1
	}
	return p.boundOn(features)
}

// boundOn returns minus the logarithm of the bound on features as they are.
func (p *path) boundOn(features *gaussian.Statistics) (float64, error) {
	opt := p.opt
	opt.Aggregate, opt.Distance, opt.Filters = Bayes, gaussian.Bhattacharyya, features.Dim
	if opt.Priors == nil {
		opt.Priors = p.stats.Priors()
	}
	return boundOf(opt, features)
}

// boundOf returns the objective over all pairs, or its stand-in with the pooled covariance.
func boundOf(opt Options, features *gaussian.Statistics) (float64, error) {
	if !opt.Pooled || !opt.choosing(features.NumClasses()) {
		v, _, err := survey(opt, features)
		return v, err
	}
	var err error
	if opt.pairs, err = nearByPooled(opt, features); err != nil {
		return math.NaN(), err
	}
	return newObjective(opt, features.NumClasses(), features.Dim).value(features.Means, features.Covariances)
}

// fit fits with the noise that was chosen, from the filters that were scored with it and no others: another
// start may have a better objective and still do worse on rows that it has not seen.
func (s *noiseSearch) fit(ctx context.Context, stats *gaussian.Statistics, opt Options, passes int) (*Model, error) {
	best := s.best()
	opt.Noise, opt.AutoNoise = best.noise, false
	if s.rows == 0 {
		opt.Start, opt.Initial = Given, best.filters[0]
	} else {
		opt.also = best.filters
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
	m.Report.Passes += passes
	return m, nil
}

// copyChoice takes over how the noise was chosen.
func copyChoice(dst, src *Model) {
	dst.NoiseGrid, dst.NoiseScores = src.NoiseGrid, src.NoiseScores
	dst.NoiseAccuracies, dst.NoiseRows = src.NoiseAccuracies, src.NoiseRows
	dst.Warnings = append(dst.Warnings, src.Warnings...)
}

// inverseFactors writes the inverse Cholesky factor of every covariance.
func inverseFactors(dst []float64, s *gaussian.Statistics) error {
	var w small.Workspace
	err := w.Cholesky(dst, s.Covariances, s.Dim, s.NumClasses())
	var bad *small.Error
	if errors.As(err, &bad) {
		return &gaussian.SingularError{Class: bad.Index, Name: s.Name(bad.Index), Smallest: bad.Value}
	}
	if err != nil {
		return err
	}
	w.InvertLower(dst, dst, s.Dim, s.NumClasses())
	return nil
}
