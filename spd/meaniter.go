package spd

import (
	"context"
	"math"

	"rao"
	"rao/internal/linalg/vec"
)

// frame is a factor of the current mean, M = G G', with its inverse. A step along
// the symmetric Z moves it by parallel transport along the geodesic:
// G ← G exp(Z/2), so that what was learned in one frame holds in the next.
type frame struct {
	n          int
	g, inverse []float64
	tmp        []float64
}

// newFrame starts from the Cholesky factor, which keeps the digits of channels in
// different units.
func newFrame(m []float64, n int, role string) (*frame, error) {
	var s scratch
	f := &frame{n: n, g: make([]float64, n*n), inverse: make([]float64, n*n), tmp: make([]float64, n*n)}
	if err := s.factors(f.g, StackOf(1, n, m), 0, 1, role); err != nil {
		return nil, single(err)
	}
	s.w.InvertLower(f.inverse, f.g, n, 1)
	return f, nil
}

// step moves the frame along z.
func (f *frame) step(z []float64) error {
	sp, err := decompose(z, f.n, "step of the mean", false)
	if err != nil {
		return err
	}
	half := sp.function(func(v float64) float64 { return math.Exp(v / 2) })
	back := sp.function(func(v float64) float64 { return math.Exp(-v / 2) })
	sp.scratch.w.Mul(f.tmp, f.g, half, false, false, f.n, 1)
	f.g, f.tmp = f.tmp, f.g
	sp.scratch.w.Mul(f.tmp, back, f.inverse, false, false, f.n, 1)
	f.inverse, f.tmp = f.tmp, f.inverse
	return nil
}

// matrix returns G G'.
func (f *frame) matrix() []float64 {
	var s scratch
	out := make([]float64, f.n*f.n)
	s.w.Mul(out, f.g, f.g, false, true, f.n, 1)
	vec.Symmetrise(out, f.n)
	return out
}

// karcher returns J = Σ w log(G⁻¹ X G⁻ᵀ), which is half the negative gradient of
// the objective Σ w d² in the frame, and behind it two numbers: the objective, and
// Σ w β with β = t coth t at t = log(λmax/λmin)/2, the bound on its curvature with
// which a plain step of 2/(1+Σ w β) converges locally (Bini and Iannazzo 2013).
func karcher(t *team, x *Stack, w []float64, f *frame) (sum []float64, err error) {
	n, nn := x.Dim, x.Dim*x.Dim
	return t.accumulate(x, nn+2, func(s *scratch, lo, hi int, sum []float64) error {
		c := hi - lo
		white, vecs, vals := s.buf(0, c*nn), s.buf(1, c*nn), s.values(c*n)
		s.w.Congruence(white, f.inverse, x.block(lo, hi, s, 3), n, c, true)
		if err := s.w.Eigen(vals, vecs, white, n, c); err != nil {
			return failed(err, x, lo, "matrix")
		}
		for k := range c {
			v := vals[k*n : (k+1)*n]
			if !definiteValues(v) {
				return notDefinite(x.At(lo+k), n, "matrix", lo+k)
			}
			half := math.Log(v[n-1]/v[0]) / 2
			beta := 1.0
			if half > 1e-4 {
				beta = half / math.Tanh(half)
			}
			q := 0.0
			for i, l := range v {
				v[i] = math.Log(l)
				q += v[i] * v[i]
			}
			sum[nn] += w[lo+k] * q
			sum[nn+1] += w[lo+k] * beta
		}
		s.w.Rebuild(white, vecs, vals, n, c)
		for k := range c {
			vec.Axpy(sum[:nn], w[lo+k], white[k*nn:(k+1)*nn])
		}
		return nil
	})
}

// riemannMean is the Karcher mean. The plain iteration M ← M½ exp(νJ) M½ converges
// linearly; Anderson's acceleration over the last steps, taken in parallel frames,
// makes it superlinear in practice. A residual that grows forgets the history and
// falls back to the safe plain step.
func riemannMean(ctx context.Context, x *Stack, w []float64, opt MeanOptions) ([]float64, rao.Report, error) {
	n, nn := x.Dim, x.Dim*x.Dim
	rep := rao.Report{Status: rao.MaxIterations}
	start := opt.Start
	var crew team
	var err error
	if start == nil {
		if start, err = kullbackMean(&crew, x, w); err != nil {
			return nil, rep, err
		}
		rep.Passes = 2
	}
	f, err := newFrame(start, n, "start of the mean")
	if err != nil {
		return nil, rep, err
	}
	acc := newAnderson(nn)
	nu := 1.0
	best := math.Inf(1)
	var mean []float64
	for rep.Iterations = 0; rep.Iterations < opt.MaxIter; rep.Iterations++ {
		if ctx.Err() != nil {
			rep.Status = rao.Cancelled
			break
		}
		sum, err := karcher(&crew, x, w, f)
		if err != nil {
			return nil, rep, err
		}
		rep.Passes++
		j := sum[:nn]
		vec.Symmetrise(j, n)
		residual := vec.Norm(j)
		rep.History = append(rep.History, sum[nn])
		opt.Progress.Send(rao.Event{Stage: "mean", Done: rep.Iterations + 1, Total: opt.MaxIter, Objective: sum[nn]})
		if residual < best {
			best, mean = residual, f.matrix()
			rep.Objective, rep.GradientNorm = sum[nn], residual
		}
		if residual <= opt.Tol {
			rep.Status = rao.Converged
			rep.Iterations++
			break
		}
		if residual > 2*best { // rounding may double it, a bad step does more
			acc.reset()
			nu = min(nu/2, 2/(1+sum[nn+1]))
		}
		if acc.stalled(residual) {
			rep.Status = rao.Stalled
			break
		}
		if err := f.step(acc.step(j, nu)); err != nil {
			return nil, rep, err
		}
	}
	if mean == nil { // cancelled before the first pass
		mean, rep.GradientNorm = f.matrix(), math.Inf(1)
	}
	return mean, rep, unconverged("Riemannian mean", rep)
}

// unconverged returns the error for a report that is not good.
func unconverged(method string, rep rao.Report) error {
	switch rep.Status {
	case rao.Converged:
		return nil
	case rao.Cancelled:
		return &rao.NotConvergedError{Method: method, Report: rep, Remedy: "the matrix so far is usable as a start"}
	case rao.Stalled:
		return &rao.NotConvergedError{Method: method, Report: rep,
			Remedy: "the residual is at the rounding errors of these matrices: loosen the tolerance, or improve their condition (`rao check`)"}
	}
	return &rao.NotConvergedError{Method: method, Report: rep, Remedy: "allow more iterations, loosen the tolerance, or use metric logeuclid"}
}

// stepper is one iteration of a fixed-point mean: it returns the matrix after m.
type stepper func(t *team, x *Stack, w, m []float64) ([]float64, error)

// fixedPoint iterates from the log-Euclidean mean until M changes relatively by
// Tol or less.
func fixedPoint(ctx context.Context, x *Stack, w []float64, opt MeanOptions, method string, step stepper) ([]float64, rao.Report, error) {
	rep := rao.Report{Status: rao.MaxIterations}
	m := opt.Start
	var crew team
	var err error
	if m == nil {
		if m, err = flatMean(&crew, x, w, LogEuclid); err != nil {
			return nil, rep, err
		}
		rep.Passes = 1
	}
	rep.GradientNorm = math.Inf(1)
	smallest, since := math.Inf(1), 0
	for rep.Iterations = 0; rep.Iterations < opt.MaxIter; {
		if ctx.Err() != nil {
			rep.Status = rao.Cancelled
			break
		}
		next, err := step(&crew, x, w, m)
		if err != nil {
			return nil, rep, err
		}
		rep.Passes++
		rep.Iterations++
		rep.GradientNorm = math.Sqrt(vec.SquaredDistance(next, m)) / vec.Norm(next)
		m = next
		opt.Progress.Send(rao.Event{Stage: "mean", Done: rep.Iterations, Total: opt.MaxIter, Objective: rep.GradientNorm})
		if rep.GradientNorm <= opt.Tol {
			rep.Status = rao.Converged
			break
		}
		if since++; rep.GradientNorm < smallest {
			smallest, since = rep.GradientNorm, 0
		}
		if since >= 10 {
			rep.Status = rao.Stalled
			break
		}
	}
	return append([]float64(nil), m...), rep, unconverged(method, rep)
}

// wassersteinStep is M' = M⁻½ (Σ w (M½ X M½)½)² M⁻½ (Álvarez-Esteban, del Barrio,
// Cuesta-Albertos and Matrán 2016, equation 7).
func wassersteinStep(t *team, x *Stack, w, m []float64) ([]float64, error) {
	n, nn := x.Dim, x.Dim*x.Dim
	sp, err := decompose(m, n, "Wasserstein mean", true)
	if err != nil {
		return nil, err
	}
	root, inv := sp.sqrt(), sp.invSqrt()
	sum, err := t.accumulate(x, nn, func(s *scratch, lo, hi int, sum []float64) error {
		c := hi - lo
		b, vecs, vals := s.buf(0, c*nn), s.buf(1, c*nn), s.values(c*n)
		s.w.Congruence(b, root, x.block(lo, hi, s, 3), n, c, true)
		if err := s.w.Eigen(vals, vecs, b, n, c); err != nil {
			return failed(err, x, lo, "matrix")
		}
		for i, v := range vals {
			vals[i] = math.Sqrt(max(v, 0))
		}
		s.w.Rebuild(b, vecs, vals, n, c)
		for k := range c {
			vec.Axpy(sum, w[lo+k], b[k*nn:(k+1)*nn])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	vec.Symmetrise(sum, n)
	left, out := make([]float64, nn), make([]float64, nn)
	sp.scratch.w.Mul(left, inv, sum, false, false, n, 1)
	sp.scratch.w.Mul(out, left, left, false, true, n, 1)
	vec.Symmetrise(out, n)
	return out, nil
}

// logdetStep is M' = (Σ w ((M+X)/2)⁻¹)⁻¹.
func logdetStep(t *team, x *Stack, w, m []float64) ([]float64, error) {
	n, nn := x.Dim, x.Dim*x.Dim
	sum, err := t.accumulate(x, nn, func(s *scratch, lo, hi int, sum []float64) error {
		c := hi - lo
		mid, l, li := s.buf(0, c*nn), s.buf(1, c*nn), s.buf(2, c*nn)
		for k := range c {
			for p, v := range x.At(lo + k) {
				mid[k*nn+p] = 0.5 * (v + m[p])
			}
		}
		if err := s.w.Cholesky(l, mid, n, c); err != nil {
			return failed(err, x, lo, "matrix")
		}
		s.w.InvertLower(li, l, n, c)
		s.w.Mul(mid, li, li, true, false, n, c)
		for k := range c {
			vec.Axpy(sum, w[lo+k], mid[k*nn:(k+1)*nn])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return unflatten(sum, n, Harmonic)
}
