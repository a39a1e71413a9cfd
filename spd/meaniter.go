package spd

import (
	"context"
	"math"

	"rao"
	"rao/internal/linalg/vec"
)

// frame is a factor of the current mean, M = G G', with its inverse. A step along the symmetric Z moves it by parallel
// transport along the geodesic, G ← G exp(Z/2), so steps in one frame can be compared with steps in the next.
type frame struct {
	n          int
	g, inverse []float64
	tmp        []float64
	move       exponentials // exponentials of the last step
}

// newFrame starts from the Cholesky factor, which stays accurate for channels in different units.
func newFrame(m []float64, n int, role string) (*frame, error) {
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	f := &frame{n: n, g: make([]float64, n*n), inverse: make([]float64, n*n), tmp: make([]float64, n*n)}
	if err := s.factors(f.g, StackOf(1, n, m), 0, 1, role); err != nil {
		return nil, single(err)
	}
	s.w.InvertLower(f.inverse, f.g, n, 1)
	return f, nil
}

// step moves the frame along z.
func (f *frame) step(z []float64) error {
	if err := f.move.halves(z, f.n); err != nil {
		return err
	}
	mul(f.tmp, f.g, f.move.plus, f.n)
	f.g, f.tmp = f.tmp, f.g
	mul(f.tmp, f.move.minus, f.inverse, f.n)
	f.inverse, f.tmp = f.tmp, f.inverse
	return nil
}

// exponentials are exp(Z/2) and exp(−Z/2) of a step Z, with scratch memory for them.
type exponentials struct {
	plus, minus []float64
	work        [7][]float64
	along       spectrum
}

// halves computes both exponentials. Steps are short, except perhaps the first. For short steps, it uses the series of
// cosh and sinh, which need six products, a quarter of the time of an eigendecomposition.
func (e *exponentials) halves(z []float64, n int) error {
	if !(vec.Norm(z) <= 0.5) { // terms beyond the power 11 would exceed rounding errors, or z is not a number
		return e.bySpectrum(z, n)
	}
	if len(e.work[0]) != n*n {
		e.plus, e.minus = make([]float64, n*n), make([]float64, n*n)
		for i := range e.work {
			e.work[i] = make([]float64, n*n)
		}
	}
	half, square, fourth, sixth, even, odd, tail := e.work[0], e.work[1], e.work[2], e.work[3], e.work[4], e.work[5],
		e.work[6]
	for i, v := range z {
		half[i] = v / 2
	}
	mul(square, half, half, n)
	mul(fourth, square, square, n)
	mul(sixth, fourth, square, n)
	series := func(dst []float64, c [6]float64) { // Σ c_k (Z/2)^2k
		for i, s := range square {
			tail[i] = c[4]*s + c[5]*fourth[i]
			dst[i] = c[1]*s + c[2]*fourth[i]
		}
		for i := 0; i < n*n; i += n + 1 {
			tail[i] += c[3]
			dst[i] += c[0]
		}
		mul(e.plus, sixth, tail, n)
		vec.Axpy(dst, 1, e.plus)
	}
	series(even, [6]float64{1, 1. / 2, 1. / 24, 1. / 720, 1. / 40320, 1. / 3628800})    // cosh
	series(odd, [6]float64{1, 1. / 6, 1. / 120, 1. / 5040, 1. / 362880, 1. / 39916800}) // sinh over Z/2
	mul(tail, half, odd, n)
	for i, c := range even {
		e.plus[i], e.minus[i] = c+tail[i], c-tail[i]
	}
	return nil
}

func (e *exponentials) bySpectrum(z []float64, n int) error {
	if err := e.along.of(z, n, "step of the mean", false); err != nil {
		return err
	}
	e.plus = e.along.function(func(v float64) float64 { return math.Exp(v / 2) })
	e.minus = e.along.function(func(v float64) float64 { return math.Exp(-v / 2) })
	return nil
}

// matrix returns G G'.
func (f *frame) matrix() []float64 {
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	out := make([]float64, f.n*f.n)
	s.w.Mul(out, f.g, f.g, false, true, f.n, 1)
	vec.Symmetrize(out, f.n)
	return out
}

// unconverged returns the error for a report that did not converge, or nil.
func unconverged(ctx context.Context, method string, rep rao.Report) error {
	switch rep.Status {
	case rao.StatusConverged:
		return nil
	case rao.StatusCanceled:
		return &rao.NotConvergedError{Cause: ctx.Err(), Method: method, Report: rep,
			Remedy: "the matrix so far is usable as a start"}
	case rao.StatusStalled:
		return &rao.NotConvergedError{Method: method, Report: rep,
			Remedy: "the residual is as small as the rounding errors of these matrices allow, so loosen the " +
				"tolerance, or use better-conditioned matrices"}
	}
	return &rao.NotConvergedError{Method: method, Report: rep, Remedy: "allow more iterations, or loosen the tolerance"}
}

// relativeChange returns ‖next − m‖ / ‖next‖. It scales the matrices first if the square of the norm could overflow or
// underflow.
func relativeChange(next, m []float64) float64 {
	if norm := vec.Norm(next); norm > 1e-150 && norm < 1e150 {
		return math.Sqrt(vec.SquaredDistance(next, m)) / norm
	}
	scale := vec.MaxAbs(next)
	a, b := make([]float64, len(m)), make([]float64, len(m))
	for i := range m {
		a[i], b[i] = next[i]/scale, m[i]/scale
	}
	return math.Sqrt(vec.SquaredDistance(a, b)) / vec.Norm(a)
}

// convergence is the residual of the last iteration of a mean.
type convergence struct{ residual float64 }

// event returns the event after an iteration. The total number of iterations is extrapolated from the last decrease of
// the residual; it is unknown after the first iteration.
func (c *convergence) event(stage string, done int, residual, objective float64, opt *MeanOptions) rao.Event {
	e := rao.Event{Stage: stage, Done: done, Limit: opt.MaxIter, Objective: objective}
	rate := math.Log(c.residual / residual)
	if more := math.Ceil(math.Log(residual/opt.Tol) / rate); residual <= opt.Tol {
		e.Total = done
	} else if rate > 0 {
		e.Total = int(min(float64(opt.MaxIter), float64(done)+more))
	}
	c.residual = residual
	return e
}

// stepper is one iteration of a fixed-point mean: it returns the matrix that follows m.
type stepper func(t *team, x *Stack, w, m []float64) ([]float64, error)

// fixedPoint iterates from the log-Euclidean mean until the relative change of M is at most Tol.
func fixedPoint(ctx context.Context, x *Stack, w []float64, opt MeanOptions, method string,
	step stepper) ([]float64, rao.Report, error) {
	rep := rao.Report{Status: rao.StatusMaxIterations}
	m := full(opt.Start)
	var crew team
	var err error
	if m == nil {
		if m, err = logEuclid.flat.mean(&crew, x, w); err != nil {
			return nil, rep, err
		}
		rep.Passes = 1
	}
	rep.GradientNorm = math.Inf(1)
	smallest, since := math.Inf(1), 0
	var path convergence
	for rep.Iterations = 0; rep.Iterations < opt.MaxIter; {
		if ctx.Err() != nil {
			rep.Status = rao.StatusCanceled
			break
		}
		next, err := step(&crew, x, w, m)
		if err != nil {
			return nil, rep, err
		}
		rep.Passes++
		rep.Iterations++
		rep.GradientNorm = relativeChange(next, m)
		m = next
		opt.Progress.Send(path.event("mean", rep.Iterations, rep.GradientNorm, rep.GradientNorm, &opt))
		if rep.GradientNorm <= opt.Tol {
			rep.Status = rao.StatusConverged
			break
		}
		if since++; rep.GradientNorm < smallest {
			smallest, since = rep.GradientNorm, 0
		}
		if since >= 10 {
			rep.Status = rao.StatusStalled
			break
		}
	}
	return append([]float64(nil), m...), rep, unconverged(ctx, method, rep)
}
