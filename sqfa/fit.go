package sqfa

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/faults"
	"rao/internal/heldout"
	"rao/internal/linalg/ritz"
	"rao/internal/linearfilters"
	"rao/internal/naming"
	"rao/internal/optim"
	"rao/internal/text"
)

// Fit learns filters from the class statistics of src. If opt.Noise is [AutoNoise], the noise is better chosen for a
// source with rows.
//
// It returns an error if the options or the source are unusable, or if a class has a singular covariance in feature
// space and there is no noise (*[gaussian.SingularError]). If the error is a *[rao.NotConvergedError], [rao.HasModel]
// is true and the model is usable: the fit reached its limit on iterations, or ctx was canceled and the model is the
// best so far.
//
// For c classes, n dimensions and m filters, an iteration costs one pass over the statistics, c n² m multiplications,
// and a few eigenproblems of order m for each pair of classes. A fit uses all cores and gives the same bits at any
// GOMAXPROCS.
func Fit(ctx context.Context, src Loader, opt Options) (*Model, error) {
	begin := time.Now()
	m, s, err := fit(ctx, src, opt)
	if err != nil {
		return nil, err
	}
	if r := span(m.Filters); r < opt.Filters {
		most, err := directions(context.WithoutCancel(ctx), s, opt.Filters)
		if err != nil {
			return nil, err
		}
		spanned := text.Plural(r, "dimension", "dimensions")
		if most < opt.Filters {
			m.Warnings = append(m.Warnings, fmt.Sprintf("the %d filters span only %s, because the data vary in only "+
				"%s; choose fewer filters, at most %d", opt.Filters, spanned,
				text.Plural(most, "direction", "directions"), most))
		} else {
			m.Warnings = append(m.Warnings, fmt.Sprintf("the %d filters span only %s, because more filters do not "+
				"help with noise %.4g; choose a lower noise, fewer filters, or the constraint orthogonal", opt.Filters,
				spanned, m.Noise))
		}
	}
	if err := warnOfRounding(context.WithoutCancel(ctx), m, s); err != nil {
		return nil, err
	}
	m.Report.Elapsed = time.Since(begin)
	switch m.Report.Status {
	case rao.StatusMaxIterations:
		return m, &rao.NotConvergedError{Method: "sqfa", Report: m.Report, Remedy: "raise max-iter or loosen tol"}
	case rao.StatusCanceled:
		return m, &rao.NotConvergedError{Method: "sqfa", Report: m.Report, Cause: ctx.Err()}
	}
	return m, nil
}

// directions returns the number of directions in which the data vary, at most the given number: the rank of the product
// of their covariance with random vectors.
func directions(ctx context.Context, s *gaussian.Source, atMost int) (int, error) {
	_, _, _, total, err := s.Pooled(ctx)
	if err != nil {
		return 0, err
	}
	n := total.SymmetricDim()
	scale := make([]float64, n) // columns of unit variance, so small ones count, too
	for j := range scale {
		if v := total.At(j, j); v > 0 {
			scale[j] = 1 / math.Sqrt(v)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	random, product := mat.NewDense(n, atMost, nil), mat.NewDense(n, atMost, nil)
	random.Apply(func(j, _ int, _ float64) float64 { return scale[j] * rng.NormFloat64() }, random)
	product.Mul(total, random)
	product.Apply(func(j, _ int, v float64) float64 { return scale[j] * v }, product)
	var svd mat.SVD
	if !svd.Factorize(product, mat.SVDNone) {
		return atMost, nil
	}
	return svd.Rank(1e-12), nil
}

// fit is like Fit, but returns no error if the fit ended early. It also returns the statistics that it learned from.
func fit(ctx context.Context, src Loader, opt Options) (*Model, *gaussian.Source, error) {
	if opt.Noise == AutoNoise {
		switch rows := src.(type) {
		case Rows:
			return rows.fit(ctx, opt)
		case *heldout.Folds:
			return folds{rows}.fit(ctx, opt)
		}
	}
	s, err := src.Stream(ctx)
	if err != nil {
		return nil, nil, err
	}
	to, err := opt.plan(s.NumClasses(), s.Dim)
	if err != nil {
		return nil, nil, err
	}
	if to.inSubspace(s.Dim) {
		m, err := fitInSubspace(ctx, s, to)
		return m, s, err
	}
	stats, err := s.Load(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, err := fitStatistics(ctx, stats, to)
	if err == nil && to.Pooled && to.choosing(stats.NumClasses()) && m.Report.Status != rao.StatusCanceled {
		m.Report.Passes++
		err = judge(m, stats, to)
	}
	return m, s, err
}

// fitStatistics fits to the statistics alone. An automatic noise is first chosen by [fitByBound].
func fitStatistics(ctx context.Context, stats *gaussian.Statistics, opt plan) (*Model, error) {
	if opt.Noise == AutoNoise {
		return fitByBound(ctx, stats, opt)
	}
	return fitStarts(ctx, stats, opt)
}

// errOneClass is the error for statistics of a single class.
var errOneClass = faults.Count(1, 2, "there is only one class, but filters need at least two; check which column or "+
	"variable contains the labels")

// run is the state that one fit passes to the next.
type run struct {
	filters []float64 // n×m
	report  rao.Report
	pairs   []float64
}

// fitStarts runs every start with the given noise and keeps the best.
func fitStarts(ctx context.Context, stats *gaussian.Statistics, opt plan) (*Model, error) {
	var best *run
	var passes, iterations, evaluations int
	for s := range opt.Starts {
		if s > 0 && ctx.Err() != nil {
			break
		}
		r, err := fitOnce(ctx, stats, opt, s)
		if err != nil {
			if s == 0 {
				return nil, err
			}
			continue // a random start may be singular even if the first is not
		}
		passes += r.report.Passes
		iterations += r.report.Iterations
		evaluations += r.report.Evaluations
		if best == nil || r.report.Objective > best.report.Objective {
			best = r
		}
	}
	best.report.Passes, best.report.Iterations, best.report.Evaluations = passes, iterations, evaluations
	if len(best.pairs) != classcolumns.NumPairs(stats.NumClasses()) {
		best.pairs = nil // because these are only for some pairs
	}
	ritz.FixSigns(best.filters, stats.Dim, opt.Filters)
	return &Model{Method: "sqfa", Filters: mat.NewDense(stats.Dim, opt.Filters, best.filters), Noise: opt.Noise,
		Distance: string(opt.Distance), Aggregate: string(opt.Aggregate), Constraint: string(opt.Constraint),
		Classes: append([]string(nil), stats.Classes...), Pairs: best.pairs, Report: best.report}, nil
}

// fitOnce fits from the starting point with the given index.
func fitOnce(ctx context.Context, stats *gaussian.Statistics, opt plan, index int) (*run, error) {
	if index == 0 && opt.Start == startSeveral && !opt.choosing(stats.NumClasses()) {
		return fitSeveral(ctx, stats, opt)
	}
	start, passes, err := startingFilters(stats, opt, index)
	if err != nil {
		return nil, err
	}
	r, err := fitGroups(ctx, stats, opt, start)
	if err != nil {
		return nil, err
	}
	r.report.Passes += passes
	if h := r.report.History; index == 0 && opt.Start == startPCA &&
		r.report.Objective-h[0] <= 1e-6*math.Max(1, math.Abs(h[0])) && ctx.Err() == nil {
		return fitFromSaddle(ctx, stats, opt, r), nil
	}
	return r, nil
}

// fitFromSaddle replaces a fit that did not leave its start, which may be a saddle point. Principal components are a
// saddle point if the classes differ only in directions that are uncorrelated with them. It tries a few random starts
// and keeps the best fit.
func fitFromSaddle(ctx context.Context, stats *gaussian.Statistics, opt plan, first *run) *run {
	best := first
	var passes, evaluations int
	for stream := range uint64(4) {
		start := randomFilters(stats.Dim, opt.Filters, opt.Constraint, opt.Seed, 0x5add1e+stream)
		r, err := fitGroups(ctx, stats, opt, start)
		if err != nil {
			continue
		}
		passes += r.report.Passes
		evaluations += r.report.Evaluations
		if r.report.Objective > best.report.Objective {
			best = r
		}
	}
	best.report.Passes, best.report.Evaluations = first.report.Passes+passes, first.report.Evaluations+evaluations
	return best
}

// startingFilters returns the filters of start number index and the number of passes over the statistics used for
// them.
func startingFilters(stats *gaussian.Statistics, opt plan, index int) (x []float64, passes int, err error) {
	n, m := stats.Dim, opt.Filters
	switch {
	case index > 0:
		return randomFilters(n, m, opt.Constraint, opt.Seed, uint64(index)), 0, nil
	case opt.Start == startRandom:
		return randomFilters(n, m, opt.Constraint, opt.Seed, 0), 0, nil
	case opt.Start == startGiven:
		x = append([]float64(nil), values(opt.Initial)...)
		if opt.Constraint != constraintNone {
			err = optim.NewManifold(opt.Constraint.manifold(), n, m).Normalize(x)
		}
		if err != nil {
			err = fmt.Errorf("initial filters: %w", err)
		}
		return x, 0, err
	}
	if opt.Start == startLDA {
		x, err = discriminantStart(stats, m, opt.Noise)
		return x, 1, err
	}
	x, _, err = principal(stats, m)
	return x, 1, err
}

// fitGroups learns the groups of filters one after the other, in all dimensions or in one growing subspace.
func fitGroups(ctx context.Context, stats *gaussian.Statistics, opt plan, start []float64) (*run, error) {
	n, m := stats.Dim, opt.Filters
	group := cmp.Or(opt.Group, m)
	learn := learner(func(opt plan, fixed []float64, p int, next []float64) (*groupResult, error) {
		return fitGroup(ctx, stats, opt, fixed, p, next)
	})
	out := &run{}
	if opt.growing(n) {
		s := opt.space
		if s == nil {
			s = newSubspace(stats, roomFor(stats.NumClasses(), n, m, max(0, opt.Coarse)))
		}
		passes := s.passes
		if s.q == 0 {
			if err := s.begin(opt, start); err != nil {
				return nil, err
			}
		}
		out.report.Passes = s.passes - passes
		learn = func(opt plan, fixed []float64, p int, next []float64) (*groupResult, error) {
			return growGroup(ctx, s, opt, fixed, p, next)
		}
	}
	if all := learn; opt.choosing(stats.NumClasses()) {
		learn = func(opt plan, fixed []float64, p int, next []float64) (*groupResult, error) {
			if opt.Pooled {
				return all.pooled(stats, opt, fixed, p, next)
			}
			return all.near(ctx, stats, opt, fixed, p, next)
		}
	}
	var learned []float64 // n×p
	for p := 0; p < m; p += group {
		k := min(group, m-p)
		res, err := learn(opt, learned, p, linearfilters.Columns(start, m, p, p+k))
		if err != nil {
			return nil, explained(stats, err)
		}
		learned = joinColumns(learned, p, res.filters, k, n)
		out.add(res)
		if res.report.Status == rao.StatusCanceled && p+k < m { // use the start for the remaining filters
			learned = joinColumns(learned, p+k, linearfilters.Columns(start, m, p+k, m), m-p-k, n)
			out.pairs = nil
			break
		}
	}
	out.filters = learned
	return out, nil
}

// add appends the results of a group to the results of earlier groups.
func (r *run) add(g *groupResult) {
	a, b := &r.report, g.report
	a.Status, a.GradientNorm, a.Objective = b.Status, b.GradientNorm, b.Objective
	a.Iterations += b.Iterations
	a.Evaluations += b.Evaluations
	a.Passes += b.Passes
	a.History = append(a.History, b.History...)
	r.pairs = g.pairs
}

// fitGroup learns k filters next to p fixed ones (n×p) in all dimensions.
func fitGroup(ctx context.Context, stats *gaussian.Statistics, opt plan, fixed []float64, p int,
	start []float64) (*groupResult, error) {
	n := stats.Dim
	k := len(start) / n
	manifold := newManifold(opt, n, k, fixed, p)
	if err := manifold.Normalize(start); err != nil {
		return nil, err
	}
	curvature := 0.2
	if opt.rough {
		curvature = 0.9
	}
	settings := optim.Options{
		Memory: opt.Memory, MaxIterations: opt.MaxIter, Curvature: curvature,
		GradientTolerance: 1e-9, FunctionTolerance: opt.Tol,
		OnIteration: func(iteration int, value, _ float64) {
			opt.Progress.Send(rao.Event{Stage: "fit", Done: iteration, Limit: opt.MaxIter, Objective: -value})
		},
	}
	q, solver, err := opt.bench.prepare(stats, opt, p+k, fixed, settings)
	if err != nil {
		return nil, err
	}
	q.curve = optim.NewCurve(manifold)
	passes := q.passes
	res, err := solver.Run(ctx, q, manifold, start)
	if err = q.diagnose(err, opt.Distance); err != nil {
		return nil, err
	}
	history := make([]float64, len(res.History))
	for i, v := range res.History {
		history[i] = -v
	}
	return &groupResult{filters: slices.Clone(res.X), pairs: slices.Clone(q.obj.values),
		report: rao.Report{Status: res.Status, Iterations: res.Iterations,
			Evaluations: res.Evaluations, Passes: q.passes - passes, Objective: -res.Value,
			GradientNorm: res.GradientNorm, History: history}}, nil
}

// bench is the memory for a fit of all filters. The next fit to the same statistics reuses it.
type bench struct {
	q      *problem
	solver *optim.Solver
}

// problem returns the problem described by the options. It uses the memory of b, unless b is nil.
func (b *bench) problem(stats *gaussian.Statistics, opt plan, m int, fixed []float64) *problem {
	if b == nil {
		return newProblem(stats, opt, m, fixed)
	}
	if b.q == nil {
		b.q = newProblem(stats, opt, m, fixed)
	}
	b.q.noise = opt.Noise
	return b.q
}

// prepare returns the problem and its solver.
func (b *bench) prepare(stats *gaussian.Statistics, opt plan, m int, fixed []float64,
	settings optim.Options) (q *problem, solver *optim.Solver, err error) {
	q = b.problem(stats, opt, m, fixed)
	if b != nil && b.solver != nil {
		b.solver.SetMaxIterations(settings.MaxIterations)
		return q, b.solver, nil
	}
	solver, err = optim.NewSolver(len(q.free), settings)
	if b != nil {
		b.solver = solver
	}
	return q, solver, err
}

// explained adds the name of the class and the remedy to an error of the objective.
func explained(stats *gaussian.Statistics, err error) error {
	var singular *gaussian.SingularError
	switch {
	case errors.Is(err, optim.ErrStart):
		return faults.Data("the objective is not finite at the start; check the data for very large values")
	case errors.As(err, &singular):
		if singular.Class >= 0 {
			singular.Name = naming.Class(stats.Classes, singular.Class)
		}
		const place = "in feature space, "
		if !math.IsNaN(singular.Smallest) && !strings.HasPrefix(err.Error(), place) {
			return fmt.Errorf(place+"%w", err)
		}
	}
	return err
}
