package sqfa

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
)

// innerFactor is the ratio of the gradient within the subspace to the gradient outside it below which the subspace
// grows.
const innerFactor = 0.35

// firstFactor is the factor by which the first gradient is reduced before the subspace grows for the first time.
const firstFactor = 0.3

// grower learns one group of filters in a growing subspace.
type grower struct {
	s        *subspace
	opt      plan
	fixed    []float64 // filters that do not move, n×p
	p, k     int
	solver   *optim.Solver
	manifold *optim.Manifold // manifold of the full filters
	out      groupResult
}

// groupResult is the result of learning one group of filters.
type groupResult struct {
	filters []float64 // n×k
	report  rao.Report
	pairs   []float64
}

// growGroup learns k filters next to the fixed ones (n×p), which must be in the subspace, from the start (n×k), which
// need not be.
func growGroup(ctx context.Context, s *subspace, opt plan, fixed []float64, p int,
	start []float64) (*groupResult, error) {
	g := &grower{s: s, opt: opt, fixed: fixed, p: p, k: len(start) / s.n}
	g.manifold = newManifold(opt, s.n, g.k, fixed, p)
	passes := s.passes
	if s.q+g.k > s.cap && s.cap < s.n { // after earlier groups, keep only their filters; after an earlier fit, its own
		if p == 0 {
			s.compress(s.coordinates(start, g.k), g.k)
		} else {
			s.compress(s.coordinates(fixed, p), p)
		}
	}
	s.add(start, g.k, 1e-8) // adds nothing, without a pass, if the start is in the subspace
	err := g.loop(ctx, s.coordinates(start, g.k))
	g.out.report.Passes = s.passes - passes
	return &g.out, err
}

// newManifold returns the manifold of k filters in n dimensions next to p fixed ones.
func newManifold(opt plan, n, k int, fixed []float64, p int) *optim.Manifold {
	m := optim.NewManifold(opt.Constraint.manifold(), n, k)
	if p > 0 && opt.Constraint == constraintOrthogonal {
		m.Against, m.AgainstCols = fixed, p
	}
	return m
}

// loop alternates between optimizing the filters in the subspace, x (q×k), and growing the subspace.
func (g *grower) loop(ctx context.Context, x []float64) error {
	r := &g.out.report
	tolerance := 0.0     // relative to the gradient at the start
	var before []float64 // filters of the iteration before, n×k
	for {
		res, problem, err := g.solve(ctx, x, tolerance)
		if err != nil {
			return err
		}
		value := -res.Value
		if r.Iterations == 0 {
			r.History = append(r.History, -res.History[0])
		}
		r.Iterations++
		r.Evaluations += res.Evaluations
		r.Objective = value
		r.History = append(r.History, value)
		g.out.filters, g.out.pairs = g.s.lift(res.X, g.k), problem.obj.values
		gradient := g.s.gradient(problem)
		g.manifold.Project(g.out.filters, gradient)
		r.GradientNorm = vec.Norm(gradient)
		g.opt.Progress.Send(rao.Event{Stage: "fit", Done: r.Iterations, Limit: g.opt.MaxIter, Objective: value})
		switch {
		case res.Status == rao.StatusCanceled:
			r.Status = rao.StatusCanceled
		case settled(r.History, g.opt.Tol):
			r.Status = rao.StatusConverged
		case r.Iterations >= g.opt.MaxIter || r.Iterations == g.opt.MaxIter-1 && g.opt.hopeless != nil &&
			g.opt.hopeless(mat.NewDense(g.s.n, g.k, g.out.filters)):
			r.Status = rao.StatusMaxIterations
		}
		if r.Status != rao.StatusUnset {
			return nil
		}
		if g.s.q+g.k > g.s.cap && g.s.cap < g.s.n {
			x = g.compress(res.X, before)
		} else {
			x = append([]float64(nil), res.X...)
		}
		before = g.out.filters
		tolerance = math.Max(1e-9, innerFactor*g.outsideNorm(gradient))
		if g.s.add(gradient, g.k, 1e-7) == 0 { // the entire gradient is in the subspace
			tolerance = 1e-9
		}
		x = append(x, make([]float64, g.s.q*g.k-len(x))...)
		if g.solver != nil {
			g.solver.Grow(len(x))
		}
	}
}

// settled reports whether the objective gained at most ten times the tolerance in the last growth (after the first), or
// a hundred times in the last three. A single small gain is not enough, because the growth after a compression of the
// subspace gains little even if later ones gain more.
func settled(history []float64, tol float64) bool {
	last := len(history) - 1
	least := tol * math.Max(1, math.Abs(history[last]))
	return last > 1 && history[last]-history[last-1] <= 10*least ||
		last > 3 && history[last]-history[last-3] <= 100*least
}

// outsideNorm returns the norm of the part of the gradient outside the subspace.
func (g *grower) outsideNorm(gradient []float64) float64 {
	inside := g.s.coordinates(gradient, g.k)
	return math.Sqrt(math.Max(0, vec.Dot(gradient, gradient)-vec.Dot(inside, inside)))
}

// solve optimizes the filters within the subspace, starting from x, until the gradient is at most tolerance. If
// tolerance is 0, the limit is a fraction of the gradient at x.
func (g *grower) solve(ctx context.Context, x []float64, tolerance float64) (optim.Result, *problem, error) {
	fixed := g.s.coordinates(g.fixed, g.p)
	manifold := newManifold(g.opt, g.s.q, g.k, fixed, g.p)
	if err := manifold.Normalize(x); err != nil {
		return optim.Result{}, nil, err
	}
	if g.solver == nil {
		solver, err := optim.NewSolver(len(x), optim.Options{Memory: g.opt.Memory, MaxIterations: g.opt.MaxIter,
			Curvature: 0.9, FunctionTolerance: g.opt.Tol / 10})
		if err != nil {
			return optim.Result{}, nil, err
		}
		g.solver = solver
	}
	q := newProblem(g.s.reduced(), g.opt, g.p+g.k, fixed)
	q.curve = optim.NewCurve(manifold)
	if tolerance == 0 {
		gradient := make([]float64, len(x))
		if _, err := q.Start(x, gradient); err != nil {
			return optim.Result{}, nil, err
		}
		if err := q.diagnose(nil, g.opt.Distance); err != nil {
			return optim.Result{}, nil, err
		}
		manifold.Project(x, gradient)
		tolerance = math.Max(1e-9, firstFactor*vec.Norm(gradient))
		if g.opt.space != nil { // the start was the best in the subspace, so only the outside matters
			outside := g.s.gradient(q)
			g.manifold.Project(g.s.lift(x, g.k), outside)
			tolerance = math.Max(tolerance, innerFactor*g.outsideNorm(outside))
		}
	}
	g.solver.SetGradientTolerance(tolerance)
	res, err := g.solver.Run(ctx, q, manifold, x)
	if err == nil && res.Status == rao.StatusStalled { // the last trial was not at the returned point
		_, err = q.Start(res.X, make([]float64, len(x)))
	}
	return res, q, q.diagnose(err, g.opt.Distance)
}

// compress reduces the subspace to the fixed filters, the current filters (coordinates x) and the previous filters,
// which a conjugate direction needs. It returns the current filters in the new coordinates.
func (g *grower) compress(x, before []float64) []float64 {
	q, k, p := g.s.q, g.k, g.p
	current := g.out.filters
	c := joinColumns(g.s.coordinates(g.fixed, p), p, x, k, q)
	cols := p + k
	if before != nil {
		c = joinColumns(c, cols, g.s.coordinates(before, k), k, q)
		cols += k
	}
	g.s.compress(c, cols)
	g.solver = nil
	return g.s.coordinates(current, k)
}
