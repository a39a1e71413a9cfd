package sqfa

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/heldout"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
)

// candidate is a noise that has been tried.
type candidate struct {
	noise, score, accuracy float64
	pooled                 bool         // learned from covariances that are shrunk towards the pooled one
	filters                []*mat.Dense // filters learned with this noise: one matrix, or one for each fold
	scores                 []rowScores  // scores of the rows of each fold
	logp                   *mat.Dense   // the better of the scores of all folds
	losses                 []float64    // one per held-out row
	collapsed              bool         // some of the filters are nearly combinations of the others
	settled                bool         // the fit was continued, so the score is nearly final
	err                    error        // the reason if there is no score
}

// noiseSearch tries noises between the smallest variance within the classes and the largest variance of all, and stores
// the candidates that could be scored, in ascending order of noise.
type noiseSearch struct {
	tried     []*candidate
	finalists []*candidate // candidates that were validated on all folds
	rows      int          // number of held-out rows; 0: the scores are bounds
	alike     float64      // score by the bound if all classes were identical
	loud      float64      // noise above this is chosen only if its bound is clearly lower
	precise   bool         // the bounds are based on many rows, so small differences are not chance
	coarse    bool         // each fit has only a few steps of a growing subspace
	expected  float64      // the noise to prefer if the scores do not decide; 0: none
	pooled    float64      // the same for covariances shrunk towards the pooled one; 0: not tried
	least     float64      // less noise is not tried
	tiny      bool         // a class has too few rows to choose between similar losses
	wide      bool         // there are no more rows than columns

	evaluations int // evaluations of the objective in all fits of the search
	basis       *startBasis
	shrunk      *shrunk
}

// noiseRange returns the ends of the search range. The lower end is a tenth of the smallest variance within the classes
// in any direction, but at least noiseFloor times the upper end. The upper end is the largest variance of all. For
// covariances in single precision, noiseRange also excludes noises below singleFloor times the upper end.
func (s *noiseSearch) noiseRange(stats *gaussian.Statistics, basis *startBasis) (lo, hi float64) {
	s.basis, hi = basis, basis.largest
	if stats.Single {
		s.least = singleFloor * hi
		if s.expected > 0 {
			s.expected = math.Max(s.expected, s.least)
		}
	}
	if s.expected > 0 { // the search is near the expected noise
		return noiseFloor * hi, hi
	}
	return math.Max(basis.smallest(stats.Dim)/10, noiseFloor*hi), hi
}

// noiseFloor is the smallest noise that is tried, as a fraction of the largest.
const noiseFloor = 1e-8

// singleFloor is the smallest noise for covariances in single precision, as a fraction of the largest. Their values
// have independent rounding errors with a standard deviation of 2^-24/√3 of the value. The norm of a symmetric matrix
// of such errors is about twice the largest norm of a row of standard deviations, so less than 1e-7 of the largest
// variance. In directions without variance, noise of singleFloor then makes the variances of the classes equal within
// one percent. With less noise, errors look like differences between the classes.
const singleFloor = 1e-5

// gridDecades is the approximate distance, in decades, between the noises that are tried first. If there is an expected
// noise, the first noises are the expected noise, and the expected noise divided and multiplied by around. With no more
// rows than columns, the best noise may be farther away, so two more noises are tried: one at either end or, for tiny
// classes, both above. For other tiny classes so much noise lost up to 37 points of accuracy if the classes differ in
// covariances of low rank. finalists is the number of noises that are compared on all rows.
const gridDecades, around, finalists = 2, 5, 2

// run tries noises over the full range on some of the rows, then noises halfway between the best and its neighbors,
// and then the best of these on all rows. The rows of tiny classes cannot distinguish noises so close to each other.
func (s *noiseSearch) run(ctx context.Context, lo, hi float64, try func(c *candidate, final bool)) error {
	if !(hi > 0) {
		return faults.Data("all rows are equal, so there is nothing to learn; check which columns or which variable " +
			"was read")
	}
	var failed error
	attempt := func(noise float64, pooled bool) {
		if ctx.Err() != nil && len(s.tried) > 0 || noise < s.least {
			return
		}
		c := &candidate{noise: noise, pooled: pooled}
		try(c, false)
		if c.check(); c.err != nil {
			failed = c.err
			return
		}
		i, _ := slices.BinarySearchFunc(s.tried, noise, func(c *candidate, x float64) int {
			return cmp.Compare(c.noise, x)
		})
		s.tried = slices.Insert(s.tried, i, c)
	}
	if s.rows == 0 && s.expected > 0 {
		attempt(s.expected, false)
		if len(s.tried) > 0 {
			return nil
		}
	}
	steps := int(math.Ceil(math.Log10(hi/lo)/gridDecades - 1e-9))
	if s.expected > 0 {
		lo, hi, steps = s.expected/around, s.expected*around, 2
		switch {
		case s.wide && s.tiny:
			hi, steps = hi*around*around, 4
		case s.wide:
			lo, hi, steps = lo/around, hi*around, 4
		}
	}
	ratio := math.Pow(lo/hi, 1/float64(max(1, steps)))
	for i := range steps + 1 {
		attempt(hi*math.Pow(ratio, float64(i)), false)
	}
	if s.pooled > 0 {
		attempt(s.pooled, true)
		if !s.tiny {
			attempt(s.pooled/around, true)
		}
	}
	if len(s.tried) == 0 {
		return fmt.Errorf("no noise between %.3g and %.3g can be validated (%w); set the noise", lo, hi, failed)
	}
	if middle := s.best(); !s.tiny {
		if middle.pooled {
			ratio = 1. / around
		}
		attempt(middle.noise*math.Sqrt(ratio), middle.pooled)
		attempt(middle.noise/math.Sqrt(ratio), middle.pooled)
	}
	if s.rows == 0 {
		s.settle(ctx, try)
	} else {
		s.compareFinalists(ctx, try)
	}
	return nil
}

// settle continues the fit of the best candidate. If another candidate is then the best, it continues the fit of that
// candidate, and so on. The first steps of a fit hardly depend on the noise. Later, with little noise, filters find
// directions without variance, which raises their bound and lowers their scores on held-out rows.
func (s *noiseSearch) settle(ctx context.Context, try func(c *candidate, final bool)) {
	for !s.best().settled && ctx.Err() == nil {
		c := s.best()
		collapsed := c.collapsed
		c.settled = true
		c.again(try)
		if s.rows > 0 { // deliver compares filters that coincide only now with those for less noise
			c.collapsed = collapsed
		}
	}
}

// compareFinalists scores the most promising noises on all rows. The first scores of a growing search are coarse, so
// its finalists are at least a decade apart, the neighbors of the best are scored too, and the fit of the best is then
// continued.
func (s *noiseSearch) compareFinalists(ctx context.Context, try func(c *candidate, final bool)) {
	var best []*candidate
	again := func(c *candidate) {
		if ctx.Err() == nil && !slices.Contains(best, c) && c.again(try) {
			best = append(best, c)
		}
	}
	list, most := s.ranked(), finalists
	if s.coarse {
		most++
		list = apart(list)
	}
	for _, c := range list[:min(most, len(list))] {
		again(c)
	}
	if c := mostAccurate(s.tried); best != nil && c.beats(mostAccurate(best), 1) {
		again(c)
	}
	if s.finalists = best; best == nil || !s.coarse {
		return
	}
	i := slices.Index(s.tried, s.best())
	for _, k := range []int{i - 1, i + 1} {
		if k >= 0 && k < len(s.tried) {
			again(s.tried[k])
		}
	}
	s.finalists = s.tried
	s.settle(ctx, try)
}

// apart returns candidates at least a decade apart, starting with the first.
func apart(ranked []*candidate) []*candidate {
	var out []*candidate
	for _, c := range ranked {
		near := func(o *candidate) bool { return math.Abs(math.Log10(o.noise/c.noise)) < 1 }
		if !slices.ContainsFunc(out, near) {
			out = append(out, c)
		}
	}
	return out
}

// again retries a candidate at the end of the search. If that fails, the candidate does not change.
func (c *candidate) again(try func(c *candidate, final bool)) bool {
	before := *c
	before.filters, before.scores = slices.Clone(c.filters), slices.Clone(c.scores)
	if try(c, true); c.err == nil {
		c.check()
	}
	if c.err != nil {
		*c = before
		return false
	}
	return true
}

// check turns a score that is not finite into a failure, and checks whether the filters have collapsed.
func (c *candidate) check() {
	for _, f := range c.filters {
		c.collapsed = c.collapsed || f != nil && span(f) < f.RawMatrix().Cols
	}
	if c.err == nil && !vec.Finite(c.score) {
		c.err = faults.Data("the score with noise %.3g is not finite; check the data for very large values", c.noise)
	}
}

// hopelessBound is the difference of the logarithms of two bounds above which a candidate is hopeless.
const hopelessBound = 2 * sameBound

// hopeless reports whether a bound is much worse than the best so far.
func (s *noiseSearch) hopeless(score float64) bool {
	if len(s.tried) == 0 {
		return false
	}
	best := slices.MaxFunc(s.tried, func(a, b *candidate) int { return cmp.Compare(a.score, b.score) })
	return best.score-score > hopelessBound*(best.score-s.alike)
}

// doubt returns the multiple of the mean covariance of the classes that the bound of fitByBound adds to the covariance
// of each class. The bound must not rely on a smaller variance in any direction, because real classes are not Gaussian
// enough for that. The multiple applies to the covariance of the features, so their units do not matter. With few rows
// per dimension, filters find spurious differences, so the multiple grows with the ratio of dimensions to rows.
func doubt(stats *gaussian.Statistics) float64 {
	return 2 + 5*float64(stats.Dim)/float64(max(stats.Total(), 1))
}

// fitByBound chooses the noise from the statistics alone. For classes with few rows, it holds out surrogate rows. For
// others it chooses the candidate with features that have the lowest union bound on the error of the Bayes classifier,
// Σ sqrt(p_i p_j) exp(-B_ij). The covariances are shrunk by OAS, so few observations do not look like certainty, and
// increased as described at doubt. The filters of that candidate are then fitted to the tolerance.
func fitByBound(ctx context.Context, stats *gaussian.Statistics, opt plan) (*Model, error) {
	if opt.Of == nil && heldout.DrawnValues(stats) > 0 {
		if rows := surrogate(stats, stats.Total(), opt.Seed); rows != nil {
			f, err := rows.folds(opt.Options)
			if err != nil {
				return nil, err
			}
			f.All, f.Drawn = stats, true
			return f.fitValidated(ctx, opt)
		}
	}
	basis, err := newStartBasis(stats, opt.Filters)
	if err != nil {
		return nil, err
	}
	p := newPath(stats, opt, basis)
	search := noiseSearch{expected: shrunkNoise(stats, fewRows), coarse: opt.growing(stats.Dim),
		precise: slices.Min(stats.Counts) >= preciseRows*stats.Dim}
	lo, hi := search.noiseRange(stats, basis)
	p.thorough = true
	if p.opt.space != nil {
		p.opt.space = newSubspace(stats, min(p.opt.space.cap, searchRoom(stats.NumClasses(), opt.Filters)))
	}
	for i, prior := range stats.Priors() {
		search.loud += loudNoise * prior * meanVariance(stats, i)
	}
	if search.alike, err = p.boundWithout(); err != nil {
		return nil, err
	}
	if opt.Group == 0 {
		p.hopeless = func(filters *mat.Dense) bool {
			score, err := p.bound(filters)
			return err == nil && search.hopeless(score)
		}
	}
	err = search.run(ctx, lo, hi, func(c *candidate, _ bool) {
		var filters *mat.Dense
		if c.filters != nil {
			if filters = c.filters[0]; !search.coarse {
				return
			}
		}
		if filters, c.err = p.fit(ctx, c, filters); c.err != nil {
			return
		}
		c.filters = []*mat.Dense{filters}
		c.score, c.err = p.bound(filters)
		opt.Progress.Send(rao.Event{Stage: "noise", Done: len(search.tried) + 1})
	})
	if err != nil {
		return nil, err
	}
	evaluations, passes := p.spent()
	search.evaluations = evaluations
	m, _, err := search.deliver(ctx, stats, opt, math.Inf(-1), math.Inf(1),
		func(filters *mat.Dense, _ float64) (float64, error) { return p.bound(filters) },
		func(float64) float64 { return 0 })
	if m == nil {
		return nil, err
	}
	m.Report.Passes += passes + 1
	m.Report.Evaluations += evaluations
	return m, err
}

// thin is the fraction of the largest singular value of the filters below which a dimension of their span does not
// count for the bound. After only a few iterations, filters that will eventually coincide still differ in such
// dimensions, and the classes may differ there by chance.
const thin = 0.1

// bound returns minus the logarithm of the union bound on the error of the Bayes classifier on the filtered data. It
// is the criterion of fitByBound.
func (p *path) bound(filters *mat.Dense) (float64, error) {
	if span := orthonormal(filters, thin); span.RawMatrix().Cols < filters.RawMatrix().Cols {
		filters = span
	}
	features, _, err := p.features(filters).Shrink(gaussian.ShrinkRule{Kind: optionvalues.ShrinkageOAS})
	if err != nil {
		return 0, err
	}
	within, part := withinCovariance(features, features.Priors()), doubt(p.stats)
	for i := range features.NumClasses() {
		vec.Axpy(classstats.CovarianceOf(features, i), part, within)
	}
	return p.boundOn(features)
}

// boundWithout returns the bound for identical classes.
func (p *path) boundWithout() (float64, error) {
	features := gaussian.New(p.stats.Classes, 1)
	for i := range features.Covariances {
		features.Covariances[i] = 1
	}
	return p.boundOn(features)
}

// boundOn returns minus the logarithm of the bound for unmodified features.
func (p *path) boundOn(features *gaussian.Statistics) (float64, error) {
	opt := p.opt
	opt.Aggregate, opt.Distance, opt.Filters = aggregationBayes, gaussian.Bhattacharyya, features.Dim
	if opt.Priors == nil {
		opt.Priors = p.stats.Priors()
	}
	return boundOf(opt, features)
}

// boundOf returns the objective over all pairs, or its approximation with the pooled covariance.
func boundOf(opt plan, features *gaussian.Statistics) (float64, error) {
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
