package spd

import (
	"context"
	"math"

	"rao"
	"rao/internal/linalg/vec"
)

// pull is what moves an iterative mean in its frame: J, whose zero is the mean, and behind it
// two numbers. They are the objective Σ w d², and Σ w β with β = t coth t at
// t = log(λmax/λmin)/2, the bound on the curvature with which a plain step of 2/(1+Σ w β)
// converges locally (Bini and Iannazzo 2013).
type pull func(t *team, f *frame) ([]float64, error)

// karcher returns J = Σ w log(G⁻¹ X G⁻ᵀ), which is half the negative gradient of the
// objective in the frame.
func karcher(x *Stack, w []float64) pull { return whitenedSum(x, w, nil) }

// whitenedSum returns Σ w h(log(G⁻¹ X G⁻ᵀ)); a nil h is the identity.
func whitenedSum(x *Stack, w []float64, h func(float64) float64) pull {
	n, nn := x.Dim, x.Dim*x.Dim
	body := func(f *frame, s *scratch, lo, hi int, sum []float64) error {
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
			q, beta := logarithms(v)
			sum[nn] += w[lo+k] * q
			sum[nn+1] += w[lo+k] * beta
			if h != nil {
				for i, l := range v {
					v[i] = h(l)
				}
			}
		}
		s.w.Rebuild(white, vecs, vals, n, c)
		for k := range c {
			vec.Axpy(sum[:nn], w[lo+k], white[k*nn:(k+1)*nn])
		}
		return nil
	}
	return func(t *team, f *frame) ([]float64, error) {
		return t.accumulate(x, nn+2, func(s *scratch, lo, hi int, sum []float64) error {
			return body(f, s, lo, hi, sum)
		})
	}
}

// logarithms replaces ascending eigenvalues by their logarithms, and returns the sum of
// their squares and the bound β on the curvature.
func logarithms(v []float64) (squares, beta float64) {
	half := math.Log(v[len(v)-1]/v[0]) / 2
	beta = 1
	if half > 1e-4 {
		beta = half / math.Tanh(half)
	}
	for i, l := range v {
		v[i] = math.Log(l)
		squares += v[i] * v[i]
	}
	return squares, beta
}

// riemannMean is the Karcher mean.
func riemannMean(ctx context.Context, x *Stack, w []float64, opt MeanOptions) ([]float64, rao.Report, error) {
	crew := teams.Get().(*team)
	defer teams.Put(crew)
	start, passes := full(opt.Start), 0
	if start == nil {
		var err error
		if start, err = kullbackMean(crew, x, w); err != nil {
			return nil, rao.Report{}, err
		}
		passes = 2
	}
	return inFrames(ctx, crew, start, x.Dim, karcher(x, w), 1, passes, "Riemannian mean", opt)
}

// inFrames finds the zero of a pull. The plain iteration M ← M½ exp(νJ) M½ converges
// linearly; Anderson's acceleration over the last steps, taken in parallel frames,
// makes it superlinear in practice. When the residual grows, the history is forgotten
// and the safe plain step is taken from the best point. The start took the given number of passes.
func inFrames(ctx context.Context, crew *team, start []float64, n int, field pull, nu float64, passes int,
	method string, opt MeanOptions) ([]float64, rao.Report, error) {
	nn := n * n
	rep := rao.Report{Status: rao.MaxIterations, Passes: passes}
	f, err := newFrame(start, n, "start of the mean")
	if err != nil {
		return nil, rep, err
	}
	acc := newAnderson(nn)
	best := math.Inf(1)
	var mean []float64
	var from keptFrame // the best so far
	for rep.Iterations = 0; rep.Iterations < opt.MaxIter; rep.Iterations++ {
		if ctx.Err() != nil {
			rep.Status = rao.Cancelled
			break
		}
		sum, err := field(crew, f)
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
			from.keep(f, j, sum[nn+1])
			rep.Objective, rep.GradientNorm = sum[nn], residual
		}
		if residual <= opt.Tol {
			rep.Status = rao.Converged
			rep.Iterations++
			break
		}
		if residual > 2*best { // rounding may double it, a bad step does more
			acc.reset()
			nu = max(min(nu/2, 2/(1+from.beta)), 1/(1+from.beta))
			from.restore(f, j)
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
	return mean, rep, unconverged(method, rep)
}

// keptFrame is a point of the iteration to go back to.
type keptFrame struct {
	g, inverse, j []float64
	beta          float64
}

func (k *keptFrame) keep(f *frame, j []float64, beta float64) {
	k.g, k.inverse, k.j = append(k.g[:0], f.g...), append(k.inverse[:0], f.inverse...), append(k.j[:0], j...)
	k.beta = beta
}

func (k *keptFrame) restore(f *frame, j []float64) {
	copy(f.g, k.g)
	copy(f.inverse, k.inverse)
	copy(j, k.j)
}
