package optim

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
)

// Problem is a smooth function on a [Manifold] that is cheap to evaluate along a curve.
//
// A run calls Start once. In every iteration, it then calls Search, Along any number of times, and Take. If no step is
// acceptable, it calls Search again before Take, or ends. The problem may cache data about the current point.
type Problem interface {
	// Start evaluates the function at x, writes the Euclidean gradient to grad, and makes x the current point.
	Start(x, grad []float64) (value float64, err error)
	// Search prepares the curve x(t), the retraction of x + t d, from the current point; d is tangent. A pass over the
	// data should be in this method.
	Search(x, d []float64) error
	// Along returns the value at x(t) and its derivative with respect to t. A value that is not finite means that the
	// step is too long.
	Along(t float64) (value, slope float64)
	// Take makes x(t) the current point and writes the point and its Euclidean gradient. t was passed to Along before,
	// usually in the last call.
	Take(t float64, x, grad []float64) error
}

// ErrStart is returned when the function or its gradient is not finite at the
// starting point.
var ErrStart = faults.Data("the function or its gradient is not finite at the starting point")

// Solver minimizes several problems of the same size and reuses its memory. It must not be used by several goroutines
// at once.
type Solver struct {
	p   Problem
	m   *Manifold
	opt Options

	x, g     []float64 // point, projected gradient
	raw, d   []float64 // Euclidean gradient, direction
	previous []float64 // gradient before the step
	history  []float64
	mem      *memory
	value    float64
	res      Result
	keep     bool // keep the memory for the next run
}

// NewSolver returns a solver for points of n values. It returns an error if an option is out of range.
func NewSolver(n int, opt Options) (*Solver, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	buf := make([]float64, 5*n)
	cut := func(i int) []float64 { return buf[i*n : (i+1)*n : (i+1)*n] }
	r := &Solver{opt: opt, mem: newMemory(opt.Memory, n), x: cut(0), g: cut(1), raw: cut(2), d: cut(3),
		previous: cut(4)}
	return r, nil
}

// Grow changes the size of points to n values, at least as many as before. The next Run still uses the curvature
// information for the old coordinates. Use it to solve a problem in a growing space.
func (r *Solver) Grow(n int) {
	if n < len(r.x) {
		panic(mat.ErrShape)
	}
	more := make([]float64, n-len(r.x))
	for _, p := range []*[]float64{&r.x, &r.g, &r.raw, &r.d, &r.previous, &r.mem.scratch} {
		*p = append(*p, more...)
	}
	for i := range r.mem.s {
		r.mem.s[i], r.mem.y[i] = append(r.mem.s[i], more...), append(r.mem.y[i], more...)
	}
	r.keep = true
}

// SetGradientTolerance changes Options.GradientTolerance for later runs.
func (r *Solver) SetGradientTolerance(tol float64) { r.opt.GradientTolerance = tol }

// SetMaxIterations changes Options.MaxIterations for later runs.
func (r *Solver) SetMaxIterations(n int) { r.opt.MaxIterations = n }

// Run minimizes p over m, starting from x, with L-BFGS. A nil m means the flat space of len(x) dimensions. x is not
// modified; Result.X and Result.History are new slices.
//
// It returns an error if the options are invalid, if the function is not finite at the start ([ErrStart]), or if the
// problem returns an error. The result is then the best point so far (X is nil if there is none). Reaching a limit is
// not an error; Result.Status reports it. If ctx is canceled, the run ends with the best point so far and the status
// Canceled.
func Run(ctx context.Context, p Problem, m *Manifold, x []float64, opt Options) (Result, error) {
	s, err := NewSolver(len(x), opt)
	if err != nil {
		return Result{}, err
	}
	return s.Run(ctx, p, m, x)
}

// Run is like the function [Run] but uses the solver's memory: Result.X and Result.History are valid until the next
// call. It panics with mat.ErrShape if len(x) is not the solver's size.
func (r *Solver) Run(ctx context.Context, p Problem, m *Manifold, x []float64) (Result, error) {
	if len(x) != len(r.x) {
		panic(mat.ErrShape)
	}
	r.p, r.m, r.res = p, m, Result{Evaluations: 1}
	if !r.keep {
		r.mem.clear()
	}
	r.keep = false
	copy(r.x, x)
	var err error
	r.value, err = p.Start(r.x, r.raw)
	if err != nil {
		return Result{}, err
	}
	if !vec.Finite(r.value) || vec.NotFinite(r.raw) >= 0 {
		return Result{}, ErrStart
	}
	r.history = append(r.history[:0], r.value)
	r.project()
	err = r.loop(ctx)
	r.res.X, r.res.Value, r.res.GradientNorm, r.res.History = r.x, r.value, vec.Norm(r.g), r.history
	return r.res, err
}

// project writes the projection of the Euclidean gradient to r.g.
func (r *Solver) project() {
	copy(r.g, r.raw)
	r.m.Project(r.x, r.g)
}

// loop iterates until a stopping criterion is met or an error occurs.
func (r *Solver) loop(ctx context.Context) error {
	small := 0
	for {
		switch {
		case vec.Norm(r.g) <= r.opt.GradientTolerance:
			r.res.Status = rao.StatusConverged
		case small >= r.opt.Patience:
			r.res.Status = rao.StatusConverged
		case ctx.Err() != nil:
			r.res.Status = rao.StatusCanceled
		case r.res.Iterations >= r.opt.MaxIterations:
			r.res.Status = rao.StatusMaxIterations
		}
		if r.res.Status != rao.StatusUnset {
			return nil
		}
		before := r.value
		moved, err := r.step()
		if err != nil {
			return fmt.Errorf("iteration %d: %w", r.res.Iterations+1, err)
		}
		if !moved {
			r.res.Status = rao.StatusStalled
			return nil
		}
		r.res.Iterations++
		r.history = append(r.history, r.value)
		if r.opt.OnIteration != nil {
			r.opt.OnIteration(r.res.Iterations, r.value, vec.Norm(r.g))
		}
		if math.Abs(before-r.value) <= r.opt.FunctionTolerance*math.Max(1, math.Abs(r.value)) {
			small++
		} else {
			small = 0
		}
	}
}

// step runs one iteration. If the line search fails, it clears the memory and tries steepest descent. moved is false if
// steepest descent also fails.
func (r *Solver) step() (moved bool, err error) {
	for {
		copy(r.d, r.g)
		r.mem.apply(r.d, r.opt.Precondition)
		floats.Scale(-1, r.d)
		r.m.Project(r.x, r.d)
		slope := vec.Dot(r.raw, r.d)
		if !(slope < 0) || vec.NotFinite(r.d) >= 0 {
			if r.mem.count == 0 {
				return false, nil
			}
			r.mem.clear()
			continue
		}
		if err := r.p.Search(r.x, r.d); err != nil {
			return false, err
		}
		l := lineSearch{p: r.p, start: trial{0, r.value, slope}, curvature: r.opt.Curvature,
			left: r.opt.MaxTrials, floor: 1e-14 * math.Abs(r.value)}
		t := 1.0
		if r.mem.count == 0 {
			t = math.Min(1, 1/vec.Norm(r.d))
		}
		best, ok := l.search(t)
		r.res.Evaluations += r.opt.MaxTrials - l.left
		if !ok && !(best.t > 0 && best.f < r.value) {
			if r.mem.count == 0 {
				return false, nil
			}
			r.mem.clear()
			continue
		}
		return true, r.accept(best)
	}
}

// accept moves to the accepted point and updates the memory.
func (r *Solver) accept(best trial) error {
	copy(r.previous, r.g)
	s, y := r.mem.next()
	copy(s, r.d)
	if err := r.p.Take(best.t, r.x, r.raw); err != nil {
		return err
	}
	r.value = best.f
	r.project()
	if r.m.curved() {
		r.m.Project(r.x, r.previous)
		r.m.Project(r.x, s)
	}
	floats.Scale(best.t, s)
	for i := range y {
		y[i] = r.g[i] - r.previous[i]
	}
	r.mem.push()
	return nil
}
