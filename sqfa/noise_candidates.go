package sqfa

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/vec"
)

// path fits one candidate after another to the same statistics.
type path struct {
	stats       *gaussian.Statistics // statistics to learn from
	plain       *gaussian.Statistics // unmodified statistics of the classes
	pooled      *path                // with statistics shrunk towards the pooled covariance; nil if there are many rows
	opt         plan
	passes      int
	evaluations int
	iterations  int                           // limit for a fit
	thorough    bool                          // a fit grows boundGrowths times and also starts from the nearest filters
	hopeless    func(filters *mat.Dense) bool // reports whether such a fit leaves out its last growth
	noises      []float64                     // noises fitted so far
	filters     []*mat.Dense
}

// These constants limit the fit of a candidate: its iterations, the growths of its subspace, and its tolerance. With
// fewer than searchIterations, filters that will eventually coincide still differ. The finalists grow finalGrowths
// times more. Fits to statistics alone grow boundGrowths times, and fits to near pairs, which have a single start,
// nearGrowths times. The best fits grow settlingGrowths times more.
// manyIterations is for fits to the near pairs of many classes, which usually stop by searchTol. They converge more
// slowly, and scores of fits that stop early do not show which noise is best: with at most 40 iterations, eight sets of
// 33 to 41 speeds lost 2.0 points on average from rows and 2.5 from statistics, instead of 0.8 and 0.4. tinyIterations
// is for tiny classes.
const (
	searchIterations = 5
	manyIterations   = 300
	tinyIterations   = 3
	searchGrowths    = 1
	nearGrowths      = 4
	boundGrowths     = 3
	settlingGrowths  = 10
	finalGrowths     = 3
	searchTol        = 1e-4
)

// searchRoom returns the number of dimensions of the subspace of a search by the bound: as many as a candidate needs
// for its starts and its growths. A larger subspace, with the dimensions of earlier candidates, costs more than it
// helps.
func searchRoom(c, m int) int { return c + (3+boundGrowths)*m }

func newPath(stats *gaussian.Statistics, opt plan, known *startBasis) *path {
	opt.Starts, opt.Progress, opt.Memory, opt.known = 1, nil, min(opt.Memory, searchIterations), known
	if !opt.choosing(stats.NumClasses()) { // one growth from principal components would hardly depend on the noise
		opt.Start, opt.Initial = startSeveral, nil
	}
	opt.Tol, opt.rough = math.Max(opt.Tol, searchTol), true
	switch {
	case opt.growing(stats.Dim):
		opt.space = newSubspace(stats, roomFor(stats.NumClasses(), stats.Dim, opt.Filters, opt.Coarse))
	case opt.Group == 0 && !opt.choosing(stats.NumClasses()):
		opt.bench = &bench{}
	}
	iterations := searchIterations
	if opt.choosing(stats.NumClasses()) {
		iterations = manyIterations
	}
	return &path{stats: stats, plain: stats, opt: opt, passes: 1, iterations: iterations}
}

// shorten reduces the cost of all fits, for tiny classes: a fit with the noise given takes only a few iterations, and
// longer fits of candidates do not improve the choice.
func (p *path) shorten() {
	p.iterations, p.opt.known.brief = tinyIterations, true
	if p.pooled != nil {
		p.pooled.shorten()
	}
}

// fit returns filters for a candidate. It uses its own starts, or continues from the given filters. If fits have few
// iterations, it also starts from the filters for the nearest noise.
func (p *path) fit(ctx context.Context, c *candidate, from *mat.Dense) (*mat.Dense, error) {
	o, noise := p.opt, c.noise
	o.Noise = noise
	growths := searchGrowths
	if o.choosing(p.stats.NumClasses()) {
		growths = nearGrowths
	}
	if from != nil {
		o.Start, o.Initial = startGiven, from
		growths = finalGrowths
		if c.settled {
			growths = settlingGrowths
		}
	}
	if o.growing(p.stats.Dim) {
		o.MaxIter = growths
		if p.thorough && from == nil {
			o.MaxIter, o.also, o.hopeless = boundGrowths, p.nearest(noise), p.hopeless
		}
	} else {
		o.MaxIter = min(o.MaxIter, p.iterations)
		o.also = p.nearest(noise)
	}
	m, err := fitStarts(ctx, p.stats, o)
	if err != nil {
		return nil, err
	}
	p.passes += m.Report.Passes
	p.evaluations += m.Report.Evaluations
	p.noises, p.filters = append(p.noises, noise), append(p.filters, m.Filters)
	return m.Filters, nil
}

// nearest returns the filters for the nearest noise that was fitted, or none before the first fit.
func (p *path) nearest(noise float64) []*mat.Dense {
	best := 0
	away := func(i int) float64 { return math.Abs(math.Log(p.noises[i] / noise)) }
	for i := range p.noises {
		if away(i) < away(best) {
			best = i
		}
	}
	return p.filters[min(best, len(p.filters)):min(best+1, len(p.filters))]
}

// features returns the statistics, without noise, of the features of filters from fit. It computes them in the
// subspace of the search if the filters are in it.
func (p *path) features(filters *mat.Dense) *gaussian.Statistics {
	if s := p.opt.space; s != nil && s.q > 0 && p.stats == p.plain {
		_, m := filters.Dims()
		f := values(filters)
		x := s.coordinates(f, m)
		if inside, all := vec.Dot(x, x), vec.Dot(f, f); inside >= (1-1e-12)*all {
			return featuresOf(s.reduced(), x, m, 0)
		}
	}
	return p.plain.Project(filters)
}

// with returns the path on which a candidate is fitted: p, or the path with shrunk covariances.
func (p *path) with(c *candidate) *path {
	if c.pooled {
		return p.pooled
	}
	return p
}

// spent returns how often the objective was evaluated and how often the statistics were read.
func (p *path) spent() (evaluations, passes int) {
	if p.pooled != nil {
		evaluations, passes = p.pooled.spent()
	}
	return evaluations + p.evaluations, passes + p.passes
}
