package sqfa

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"rao"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/moments"
	"rao/internal/optim"
)

// principal returns the k leading principal components of all classes together (of the total covariance, within plus
// between) and their variances. The components are n×k with orthonormal columns, in order of decreasing variance. The
// entry of largest magnitude in each column is positive.
func principal(stats *gaussian.Statistics, k int) (components, variances []float64, err error) {
	share := stats.Priors()
	return ritz.Leading(totalCovariance(withinCovariance(stats, share), stats, share), stats.Dim, k)
}

// withinCovariance returns the mean covariance of the classes, Σ p_i Φ_i, where p_i are their shares.
func withinCovariance(stats *gaussian.Statistics, share []float64) []float64 {
	return moments.Within(stats.Covariances, share, stats.Dim)
}

// totalCovariance returns the total covariance, within + Σ p_i (g_i - g)(g_i - g)', where g is the mean of all classes.
func totalCovariance(within []float64, stats *gaussian.Statistics, share []float64) []float64 {
	_, total := moments.Between(stats.Means, share, stats.Dim)
	vec.Axpy(total, 1, within)
	return total
}

// randomFilters draws m random unit vectors. With the constraint orthogonal, they are orthonormal.
func randomFilters(n, m int, c Constraint, seed, stream uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, stream))
	x := make([]float64, n*m)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	kind := optim.Sphere
	if c == constraintOrthogonal {
		kind = optim.Orthogonal
	}
	if err := optim.NewManifold(kind, n, m).Normalize(x); err != nil {
		panic(err) // random normal vectors are independent
	}
	return x
}

// startBasis contains the statistics that starts need and that do not depend on the noise.
type startBasis struct {
	within     []float64 // n×n
	components []float64 // n×m
	largest    float64   // variance of all classes together
	turned     []turned  // discriminants and contrasts that have been computed
	least      float64   // leastVariance, once it has been computed
	brief      bool      // only discriminants are starts, and only for the first noise
	noPCA      bool      // components are not a start of a search for the noise
}

// turned are the discriminants and contrasts for a noise.
type turned struct {
	noise  float64
	starts [][]float64
}

func newStartBasis(stats *gaussian.Statistics, m int) (*startBasis, error) {
	share := stats.Priors()
	b := &startBasis{within: withinCovariance(stats, share)}
	components, variances, err := ritz.LeadingTo(totalCovariance(b.within, stats, share), stats.Dim, m, roughly)
	if err != nil {
		return nil, err
	}
	b.components, b.largest = components, variances[0]
	return b, nil
}

// of returns the basis for statistics of a part of the rows, with the components of all rows, which do not depend on
// the labels.
func (b *startBasis) of(stats *gaussian.Statistics) *startBasis {
	return &startBasis{within: withinCovariance(stats, stats.Priors()), components: b.components, largest: b.largest,
		noPCA: b.noPCA}
}

// smallest estimates the smallest eigenvalue of the mean covariance of the classes from the trace of the inverse, which
// this eigenvalue dominates. It returns 0 if the value is only a rounding error.
func (b *startBasis) smallest(n int) float64 {
	l := slices.Clone(b.within)
	if _, _, ok := tri.Cholesky(n, l, 0); !ok {
		return 0
	}
	half := make([]float64, n*n)
	tri.InvertLower(n, half, l)
	return 1 / vec.Dot(half, half)
}

// noisy returns the mean covariance of the classes plus the noise, and a small term that makes it invertible without
// noise.
func (b *startBasis) noisy(n int, noise float64) []float64 {
	w := slices.Clone(b.within)
	trace := vec.Trace(w, n)
	for j := range n {
		w[j*n+j] += noise + 1e-12*trace
	}
	return w
}

// meanSteps is the number of conjugate gradient steps in meanDirections. More precision is not needed, because the fit
// continues from there.
const meanSteps = 5

// meanDirections returns approximations of W⁻¹ (g_i - g), n×c, which span the discriminants; W is the mean covariance
// plus the noise. A few steps of conjugate gradients, preconditioned by the variances, cost less than a pass over the
// covariances of all classes, while factoring W costs as much as several passes.
func (b *startBasis) meanDirections(stats *gaussian.Statistics, noise float64) []float64 {
	n, c := stats.Dim, stats.NumClasses()
	buf := make([]float64, 4*n*c)
	x, r, p, wp := buf[:n*c], buf[n*c:2*n*c], buf[2*n*c:3*n*c], buf[3*n*c:]
	_, centered := moments.Centered(stats.Means, stats.Priors(), n)
	vec.Transpose(r, centered, c, n)
	scaled := func(i int) float64 { return 1 / (b.within[i*n+i] + noise + 1e-12*b.largest) }
	before := make([]float64, c) // r'D⁻¹r of the previous step
	for range meanSteps {
		now, curved := make([]float64, c), make([]float64, c)
		for at, v := range r {
			now[at%c] += v * v * scaled(at/c)
		}
		for at, v := range r {
			p[at] *= ratio(now[at%c], before[at%c])
			p[at] += v * scaled(at/c)
		}
		dense.Project(n, c, b.within, n, p, c, wp, c)
		vec.Axpy(wp, noise, p)
		for at, v := range p {
			curved[at%c] += v * wp[at]
		}
		for at, v := range p {
			step := ratio(now[at%c], curved[at%c])
			x[at] += step * v
			r[at] -= step * wp[at]
		}
		before = now
	}
	return x
}

// ratio returns a/b, or 0 if b is not positive.
func ratio(a, b float64) float64 {
	if !(b > 0) {
		return 0
	}
	return a / b
}

// roughly is the tolerance of eigenvalues when the eigenvectors are only used as starts.
const roughly = 1e-2

// directions returns two starts of m unit columns each. The first start contains discriminants, the solutions of
//
//	Σ p_i (g_i - g)(g_i - g)' x = λ W x,
//
// and principal components if there are fewer than m discriminants. The second start contains contrasts, the directions
// in which the classes differ most, which are the solutions with Σ p_i (Φ_i - W) W⁻¹ (Φ_i - W) added on the left. W is
// the mean covariance with the noise. If b.brief is set, it returns only the first start. It returns nil if W is
// singular. The cost is about 3 c n³ multiplications, or n³ for discriminants alone.
func (b *startBasis) directions(stats *gaussian.Statistics, m int, noise float64) [][]float64 {
	n, c, share := stats.Dim, stats.NumClasses(), stats.Priors()
	l := b.noisy(n, noise)
	if _, _, ok := tri.Cholesky(n, l, 0); !ok {
		return nil
	}
	inverse := make([]float64, n*n)
	tri.InvertLower(n, inverse, l)
	_, means := moments.Centered(stats.Means, share, n)
	for i, p := range share {
		floats.Scale(math.Sqrt(p), means[i*n:(i+1)*n])
	}
	var starts [][]float64
	start := func(v []float64, k int) { // whitened directions, n×k
		x := make([]float64, n*k)
		dense.Gemm(true, false, n, k, n, 1, inverse, n, v, k, 0, x, k)
		vec.NormalizeColumns(x, k)
		starts = append(starts, joinColumns(x, k, linearfilters.Columns(b.components, m, 0, m-k), m-k, n))
	}
	white, gram, values := make([]float64, c*n), make([]float64, c*c), make([]float64, c)
	dense.Gemm(false, true, c, n, n, 1, means, n, inverse, n, 0, white, n)
	dense.Gemm(false, true, c, c, n, 1, white, n, white, n, 0, gram, c)
	if eig.SymRows(values, gram, c, true, make([]float64, eig.WorkLen(c))) == nil {
		k := 0
		for k < min(m, c-1, n) && values[c-1-k] > 1e-10*values[c-1] {
			k++
		}
		v := make([]float64, n*k)
		dense.Gemm(true, true, n, k, c, 1, white, n, gram[(c-k)*c:], c, 0, v, k)
		start(v, k)
	}
	if b.brief {
		return starts
	}
	sum, d, half := make([]float64, n*n), l, make([]float64, n*n)
	for i, p := range share {
		copy(d, classstats.CovarianceOf(stats, i))
		vec.Axpy(d, -1, b.within)
		dense.Gemm(false, false, n, n, n, math.Sqrt(p), inverse, n, d, n, 0, half, n)
		dense.Syrk(n, n, 1, half, n, 1, sum, n)
	}
	dense.Syrk(n, c, 1, means, n, 1, sum, n)
	dense.Gemm(false, true, n, n, n, 1, sum, n, inverse, n, 0, half, n)
	dense.Gemm(false, false, n, n, n, 1, inverse, n, half, n, 0, sum, n)
	vec.Symmetrize(sum, n)
	if v, _, err := ritz.LeadingTo(sum, n, m, roughly); err == nil {
		start(v, m)
	}
	return starts
}

// fitSeveral tries several starts and continues from the most promising one. In a search for the noise with few rows,
// principal components are no start: they often have the highest objective of all starts, but lead to a low maximum,
// from which the fits with the other noises would continue.
func fitSeveral(ctx context.Context, stats *gaussian.Statistics, opt plan) (*run, error) {
	n, m := stats.Dim, opt.Filters
	basis, passes := opt.known, 0
	if basis == nil {
		var err error
		if basis, err = newStartBasis(stats, m); err != nil {
			return nil, err
		}
		passes++
	}
	small, inside := stats, func(f []float64) []float64 { return slices.Clone(f) }
	if opt.growing(n) {
		before := 0
		if opt.space != nil {
			before = opt.space.passes
		}
		s := basis.enter(stats, &opt)
		passes += s.passes - before
		small, inside = s.reduced(), func(f []float64) []float64 { return s.coordinates(f, m) }
	} else if opt.rough && opt.Group == 0 && opt.bench == nil {
		opt.bench = &bench{}
	}
	var starts [][]float64
	for _, f := range opt.also {
		starts = append(starts, inside(values(f)))
	}
	components, noPCA := inside(basis.components), basis.noPCA
	if small != stats {
		basis = &startBasis{within: withinCovariance(small, small.Priors()), components: components,
			largest: basis.largest}
		starts = append(starts, basis.directions(small, m, opt.Noise)...)
	} else {
		starts = append(starts, basis.ownDirections(stats, m, opt.Noise)...)
	}
	if !opt.rough || len(starts) == 0 || len(opt.also) == 0 && !noPCA {
		starts = append(starts, components)
	}
	if !opt.rough {
		random := uint64(1)
		if opt.few(small.NumClasses(), small.Dim) >= opt.MaxIter {
			random = cheapRandoms
		}
		for stream := range random {
			starts = append(starts, randomFilters(small.Dim, m, opt.Constraint, opt.Seed, stream))
		}
	}
	x, tried, err := mostPromising(ctx, small, opt, starts)
	if err != nil {
		return nil, explained(stats, err)
	}
	if small == stats {
		passes += tried.Passes
	} else {
		x = opt.space.lift(x, m)
	}
	r, err := fitGroups(ctx, stats, opt, x)
	if err != nil {
		return nil, err
	}
	r.report.Passes += passes
	r.report.Evaluations += tried.Evaluations
	return r, nil
}

// contrastWork is the largest c n³ for which a growing search starts from the discriminants and contrasts of all
// dimensions, about 0.05 s of work. If classes differ in directions of little variance, such as the blur of image
// patches, the subspace would not reach them in hundreds of iterations otherwise.
const contrastWork = 200_000_000

// startsApart is the smallest ratio between noises for which a search needs new discriminants and contrasts. If the
// ratio between two noises, each plus the smallest variance within the classes, is below startsAlike, the search reuses
// the starts of the earlier noise. contrastsApart replaces startsApart for a growing search that computes the starts in
// all dimensions.
const startsApart, startsAlike, contrastsApart = 60, 2, 1e5

// near returns the first earlier discriminants and contrasts for which the ratio of the noises, each plus a variance,
// is below the given ratio, or nil.
func (b *startBasis) near(noise, plus, ratio float64) *turned {
	for i, t := range b.turned {
		if math.Abs(math.Log((t.noise+plus)/(noise+plus))) < math.Log(ratio) {
			return &b.turned[i]
		}
	}
	return nil
}

// ownDirections returns the discriminants and contrasts for a noise, or nil if this fit starts from the filters for a
// similar noise. If an earlier noise has about the same starts, because both noises are small compared with the
// variance within the classes in any direction, it returns copies of those starts.
func (b *startBasis) ownDirections(stats *gaussian.Statistics, m int, noise float64) [][]float64 {
	if b.near(noise, 0, startsApart) != nil || b.brief && b.turned != nil {
		return nil
	}
	n := stats.Dim
	column := math.Inf(1) // the smallest variance of a column
	for j := range n {
		column = min(column, b.within[j*n+j])
	}
	if b.near(noise, column, startsAlike) != nil {
		if b.least == 0 {
			b.least = b.leastVariance(n)
		}
		if t := b.near(noise, b.least, startsAlike); t != nil {
			return cloned(t.starts)
		}
	}
	starts := b.directions(stats, m, noise)
	b.turned = append(b.turned, turned{noise, cloned(starts)})
	return starts
}

// leastVariance returns a lower bound of the smallest eigenvalue λ of the mean covariance W of the classes, tr(W⁻⁴)^-¼,
// which is at least λ/n^¼. It returns 0 if W is singular.
func (b *startBasis) leastVariance(n int) float64 {
	l, inverse, squared := slices.Clone(b.within), make([]float64, n*n), make([]float64, n*n)
	if _, _, ok := tri.Cholesky(n, l, 0); !ok {
		return 0
	}
	tri.Inverse(n, l, inverse, l)
	dense.Gemm(false, false, n, n, n, 1, l, n, l, n, 0, squared, n)
	return 1 / math.Sqrt(vec.Norm(squared))
}

// cloned returns copies of filters, which a fit may change.
func cloned(filters [][]float64) [][]float64 {
	var out [][]float64
	for _, f := range filters {
		out = append(out, slices.Clone(f))
	}
	return out
}

// enter returns the subspace of a growing search and stores it in the options. It is spanned by the components, the
// discriminants, the contrasts and the filters to try.
func (b *startBasis) enter(stats *gaussian.Statistics, opt *plan) *subspace {
	n, m := stats.Dim, opt.Filters
	x, k := b.components, m
	x, k = joinColumns(x, k, b.meanDirections(stats, opt.Noise), stats.NumClasses(), n), k+stats.NumClasses()
	if c := stats.NumClasses(); c*n*n*n <= contrastWork && b.near(opt.Noise, 0, contrastsApart) == nil {
		b.turned = append(b.turned, turned{noise: opt.Noise})
		for _, f := range b.directions(stats, m, opt.Noise) {
			x, k = joinColumns(x, k, f, m, n), k+m
		}
	}
	for _, f := range opt.also {
		x, k = joinColumns(x, k, values(f), m, n), k+m
	}
	switch s := opt.space; {
	case s == nil:
		opt.space = newSubspace(stats, max(min(n, k+m), roomFor(stats.NumClasses(), n, m, max(0, opt.Coarse))))
	case s.q+k > s.cap: // no room next to the columns that earlier fits left
		passes := s.passes
		*s = *newSubspace(stats, max(min(n, k+m), s.cap))
		s.passes = passes
	}
	opt.space.add(x, k, 1e-6)
	return opt.space
}

// mostPromising returns the start with the highest objective after a few iterations, and the filters after these
// iterations. If iterations are expensive, it compares the objectives at the starts. Unless the search is rough, the
// better half of the starts gets twice as many additional iterations. Very cheap starts run to convergence, because
// the best after some iterations may end in a local optimum.
func mostPromising(ctx context.Context, stats *gaussian.Statistics, opt plan, starts [][]float64) (best []float64,
	tried rao.Report, err error) {
	opt.Search, opt.space, opt.Coarse, opt.Progress = searchDirect, nil, 0, nil
	limit, rounds, few := opt.MaxIter, 2, opt.few(stats.NumClasses(), stats.Dim)
	switch {
	case len(starts) == 1 && opt.rough:
		return starts[0], tried, nil
	case opt.rough || few < fewest:
		return highest(stats, opt, starts)
	case few >= limit:
		rounds = 1
	default:
		few, opt.Tol = min(few, 25), max(opt.Tol, searchTol)
	}
	for ; rounds > 0; rounds-- {
		opt.MaxIter = min(few, limit)
		var runs []*run
		for _, x := range starts {
			r, failed := fitGroups(ctx, stats, opt, x)
			if failed != nil {
				err = failed
				continue
			}
			runs = append(runs, r)
			tried.Evaluations, tried.Passes = tried.Evaluations+r.report.Evaluations, tried.Passes+r.report.Passes
		}
		if len(runs) == 0 {
			return nil, tried, err
		}
		slices.SortStableFunc(runs, func(a, b *run) int { return cmp.Compare(b.report.Objective, a.report.Objective) })
		best, starts = runs[0].filters, starts[:0]
		for _, r := range runs[:(len(runs)+1)/2] {
			starts = append(starts, r.filters)
		}
		few *= 2
	}
	return best, tried, nil
}

// highest returns the start with the highest objective, or an error if none has an objective.
func highest(stats *gaussian.Statistics, opt plan, starts [][]float64) (best []float64, tried rao.Report,
	err error) {
	tried.Objective = math.Inf(-1)
	q := opt.bench.problem(stats, opt, opt.Filters, nil)
	passes := q.passes
	for _, x := range starts {
		failed := newManifold(opt, stats.Dim, opt.Filters, nil, 0).Normalize(x)
		if failed == nil {
			var v float64
			v, failed = q.at(x)
			if tried.Evaluations++; failed == nil && v > tried.Objective {
				best, tried.Objective = x, v
			}
		}
		if failed != nil {
			err = failed
		}
	}
	tried.Passes = q.passes - passes
	if best != nil {
		err = nil
	}
	return best, tried, err
}

// few returns the number of initial iterations of every start, which is larger if iterations are cheap.
func (o Options) few(c, n int) int {
	pairs, m := o.numRivals(c), o.Filters
	return startWork / (25*pairs*(m+1)*(m+1)*(m+1) + 2*c*n*n*m)
}

// startWork is the number of operations that a start may use before it is compared. If this allows fewer than fewest
// iterations, the objectives at the starts are compared instead.
const startWork, fewest = 2_000_000, 3

// cheapRandoms is the number of random starts if iterations are very cheap. Starts computed from the statistics may be
// saddle points, which a fit does not leave.
const cheapRandoms = 5
