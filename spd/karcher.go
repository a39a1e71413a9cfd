package spd

import (
	"context"
	"math"

	"rao"
	"rao/internal/linalg/vec"
)

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
	start := full(opt.Start)
	crew := teams.Get().(*team)
	defer teams.Put(crew)
	var err error
	if start == nil {
		if start, err = kullbackMean(crew, x, w); err != nil {
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
		sum, err := karcher(crew, x, w, f)
		if err != nil {
			return nil, rep, err
		}
		rep.Passes++
		j := sum[:nn]
		vec.Symmetrize(j, n)
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
