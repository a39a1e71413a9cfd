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
	"rao/internal/linalg/vec"
)

// candidate is a noise that was tried.
type candidate struct {
	noise, score, accuracy float64
	pooled                 bool         // learned from covariances that are shrunk towards the pooled one
	filters                []*mat.Dense // learned with it: one matrix, or one for each fold
	logp                   []*mat.Dense // of the rows of each fold
	losses                 []float64    // of each row held out
	collapsed              bool         // some of the filters are nearly combinations of the others
	settled                bool         // its fit went on, so its score is near that of the last filters
	err                    error        // why there is no score
}

// noiseSearch tries noises between the smallest variance within the classes and the largest
// of all, and keeps those with a score in ascending order.
type noiseSearch struct {
	tried     []*candidate
	finalists []*candidate // that were validated on all folds, where the others were not
	rows      int          // held out; 0: the scores are bounds
	alike     float64      // the score of classes that are all alike, of bounds
	loud      float64      // noise above this is chosen only if its bound is clearly lower
	precise   bool         // bounds of many rows, whose small differences are not chance
	coarse    bool         // fits are of few steps of a growing subspace
	expected  float64      // the noise to prefer where the scores cannot tell; 0: none
	pooled    float64      // likewise with covariances that are shrunk towards the pooled one; 0: not tried

	evaluations int // of the objective, by all fits of the search
	shrunk      *shrunk
}

// noiseRange returns the ends of the range that is searched: a tenth of the smallest variance within
// the classes in any direction, which is next to none, or noiseFloor, and the largest variance of all.
func noiseRange(stats *gaussian.Statistics, basis *startBasis) (lo, hi float64) {
	hi = basis.largest
	return math.Max(basis.smallest(stats.Dim)/10, noiseFloor*hi), hi
}

// noiseFloor is the smallest noise that is tried, as a fraction of the largest.
const noiseFloor = 1e-8

// gridDecades is how far apart the noises are that are tried first, in decades, about; where one is expected, they
// are that and its multiples by around. finalists is the number of noises that are compared on all rows.
const gridDecades, around, finalists = 2, 5, 2

// run tries noises over all of the range and then half-way between the best and its neighbors, on some of the rows,
// and the best of them on all.
func (s *noiseSearch) run(ctx context.Context, lo, hi float64, try func(c *candidate, final bool)) error {
	var failed error
	attempt := func(noise float64, pooled bool) {
		if ctx.Err() != nil && len(s.tried) > 0 {
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
	}
	ratio := math.Pow(lo/hi, 1/float64(max(1, steps)))
	for i := range steps + 1 {
		attempt(hi*math.Pow(ratio, float64(i)), false)
	}
	if s.pooled > 0 {
		for _, factor := range []float64{1, 1. / around} {
			attempt(s.pooled*factor, true)
		}
	}
	if len(s.tried) == 0 {
		return fmt.Errorf("no noise between %.3g and %.3g can be validated: %w", lo, hi, failed)
	}
	if s.rows == 0 {
		s.settle(ctx, try)
	}
	middle := s.best()
	if middle.pooled {
		ratio = 1. / around
	}
	attempt(middle.noise*math.Sqrt(ratio), middle.pooled)
	attempt(middle.noise/math.Sqrt(ratio), middle.pooled)
	if s.rows == 0 {
		s.settle(ctx, try)
	} else {
		s.compareFinalists(ctx, try)
	}
	return nil
}

// settle goes on with the fit of the best candidate until the best is one whose fit went on: with little noise the
// filters of a few steps have a lower bound than those that follow, which find directions without variance.
func (s *noiseSearch) settle(ctx context.Context, try func(c *candidate, final bool)) {
	for !s.best().settled && ctx.Err() == nil {
		c := s.best()
		c.again(try)
		c.settled = true
	}
}

// compareFinalists scores the most promising noises on all rows. Of a growing search, whose first scores are coarser,
// these are a decade apart at least, and the neighbors of the best follow.
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
	if s.finalists = best; best == nil || !s.coarse {
		return
	}
	i := slices.Index(s.tried, s.best())
	for _, k := range []int{i - 1, i + 1} {
		if k >= 0 && k < len(s.tried) {
			again(s.tried[k])
		}
	}
	s.finalists = best
}

// apart returns candidates, the first of them first, of which no two are within a decade.
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

// again tries a candidate once more, at the end of the search. Where that fails, it stays as it was.
func (c *candidate) again(try func(c *candidate, final bool)) bool {
	before := *c
	if try(c, true); c.err == nil {
		c.check()
	}
	if c.err != nil {
		*c = before
		return false
	}
	return true
}

// check makes a score that is not finite a failure, and looks at the filters.
func (c *candidate) check() {
	for _, f := range c.filters {
		c.collapsed = c.collapsed || f != nil && span(f) < f.RawMatrix().Cols
	}
	if c.err == nil && (math.IsInf(c.score, 0) || math.IsNaN(c.score)) {
		c.err = fmt.Errorf("noise %.3g gives no finite score", c.noise)
	}
}

// collapse is how much better, relatively, a held-out log-probability has to be where filters are
// collapsed: what a classifier makes of nearly equal features hangs on little.
const collapse = 0.03

// best returns the candidate to choose.
func (s *noiseSearch) best() *candidate { return s.ranked()[0] }

// finalTie is how many standard errors of the mean difference of their losses apart candidates are at least that rows
// can tell from each other.
const finalTie = 0.25

// ranked returns the candidates, the better the earlier. Finalists alone count where there are any. Of those that
// the rows cannot tell from the best, the most noise comes first. For classes of few rows the noise that is expected
// has a prior of Laplace's form: a decade away is one nat.
func (s *noiseSearch) ranked() []*candidate {
	list := s.tried
	if s.finalists != nil {
		list = s.finalists
	}
	if s.rows == 0 {
		return s.rankedByBound(list)
	}
	if s.expected > 0 {
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
	if s.finalists != nil {
		errors = finalTie
	}
	out, same := tied(list, errors)
	slices.SortStableFunc(out[:same], func(a, b *candidate) int { return cmp.Compare(b.noise, a.noise) })
	return out
}

// tied returns the candidates in descending order of their scores, but for those that the losses of the rows cannot
// tell from the best, which follow it, and how many these are with it.
func tied(list []*candidate, errors float64) (out []*candidate, same int) {
	score := func(c *candidate) float64 {
		if c.collapsed && c.score < 0 { // a log-probability
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
		for r := range min(len(c.losses), len(best.losses)) { // those of all rows begin with those of the first
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

// sameBound is the difference of the logarithms of two bounds that says nothing.
const sameBound = 0.025

// loudNoise is how many times the mean variance within the classes a noise is loud, and preciseRows how many rows per
// column a class needs for precise bounds.
const loudNoise, preciseRows = 10, 5

// rankedByBound returns the candidates, the best first. Those whose bound is close to the lowest come first, in
// descending order of the noise: filters learned with more noise depend less on how classes of real data differ from
// Gaussian ones. Loud noise comes after the rest of them, and if bounds are precise, the first gives way to the next
// with less noise and a lower bound. The others follow by their bounds.
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

// doubt is the part of the mean covariance of the classes that fitByBound adds to each: it does
// not believe that a class has less variance in any direction, as real classes are too far from
// Gaussian for that. It goes with the features, so their units do not matter. With few rows for the
// dimensions, filters find differences that are none, which it counts by their ratio.
func doubt(stats *gaussian.Statistics) float64 {
	rows := 0
	for _, n := range stats.Counts {
		rows += n
	}
	return 2 + 5*float64(stats.Dim)/float64(max(rows, 1))
}

// fitByBound chooses the noise from the statistics alone. Classes of few rows have surrogate rows
// that are held out. For others it is the candidate whose
// features have the lowest union bound on the error of the Bayes classifier,
// Σ sqrt(p_i p_j) exp(-B_ij), of covariances that are shrunk by OAS, so that few
// observations do not look like certainty, and bounded below by doubt.
// The filters are those of that candidate, brought to the tolerance.
func fitByBound(ctx context.Context, stats *gaussian.Statistics, opt Options) (*Model, error) {
	if opt.Of == nil && SurrogateValues(stats) > 0 {
		if rows := surrogate(stats, opt.Seed); rows != nil {
			return rows.fitAlike(ctx, stats, opt)
		}
	}
	p, err := newPath(stats, opt)
	if err != nil {
		return nil, err
	}
	lo, hi := noiseRange(stats, p.opt.known)
	search := noiseSearch{expected: shrunkNoise(stats), coarse: opt.growing(stats.Dim),
		precise: slices.Min(stats.Counts) >= preciseRows*stats.Dim}
	p.thorough = true
	for i, prior := range stats.Priors() {
		search.loud += loudNoise * prior * meanVariance(stats, i)
	}
	if search.alike, err = p.boundWithout(); err != nil {
		return nil, err
	}
	err = search.run(ctx, lo, hi, func(c *candidate, _ bool) {
		var filters *mat.Dense
		if c.filters != nil {
			if filters = c.filters[0]; !search.coarse {
				return
			}
		}
		if filters, c.err = p.fit(ctx, c.noise, filters); c.err != nil {
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
	m, _, err := search.deliver(ctx, stats, opt, math.Inf(-1), func(filters *mat.Dense, _ float64) (float64, error) {
		return p.bound(filters)
	}, func(float64) float64 { return 0 })
	if m != nil {
		m.Report.Passes += passes + 1
		m.Report.Evaluations += evaluations
	}
	return m, err
}

// thin is the part of the largest singular value of the filters below which a dimension of their span does not count
// for the bound: filters that will coincide differ in it after few iterations, in any direction where the classes of
// these rows happen to differ.
const thin = 0.1

// bound returns minus the logarithm of the union bound on the error of the Bayes classifier behind
// the filters, as fitByBound judges them.
func (p *path) bound(filters *mat.Dense) (float64, error) {
	var svd mat.SVD
	if svd.Factorize(filters, mat.SVDThinU) {
		n, m := filters.Dims()
		if k := svd.Rank(thin); 0 < k && k < m {
			var u mat.Dense
			svd.UTo(&u)
			filters = mat.DenseCopyOf(u.Slice(0, n, 0, k))
		}
	}
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
