package spd

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
)

// pull computes the step of an iterative mean in its frame: J, which is zero at the mean, followed by two numbers. The
// first is the objective Σ w d². The second is Σ w β, where β = t coth t at t = log(λmax/λmin)/2 bounds the curvature.
// A plain step of 2/(1+Σ w β) converges locally (Bini and Iannazzo 2013).
type pull func(t *team, f *frame) ([]float64, error)

// karcher returns J = Σ w log(G⁻¹ X G⁻ᵀ), which is half the negative gradient of the objective in the frame.
func karcher(x *Stack, w []float64) pull { return whitenedSum(x, w, nil, nil) }

// whitenedSum returns Σ w h(log(G⁻¹ X G⁻ᵀ)); a nil h is the identity. If terms is not nil, each call writes the
// matrices h(log(G⁻¹ X G⁻ᵀ)) to it, without their weights, packed, one per row.
func whitenedSum(x *Stack, w []float64, h func(float64) float64, terms *mat.Dense) pull {
	n, nn := x.Dim, x.Dim*x.Dim
	equal := !slices.ContainsFunc(w, func(v float64) bool { return v != w[0] })
	body := func(f *frame, s *scratch, lo, hi int, sum []float64) error {
		var logs, weights []float64
		if terms != nil {
			logs = s.buf(1, (hi-lo)*nn)
		}
		if !equal {
			weights = w[lo:hi]
		}
		each := func(k int, logs []float64, of spread) {
			sum[nn] += w[lo+k] * of.squares
			sum[nn+1] += w[lo+k] * of.curvature()
			if h != nil {
				for i, l := range logs {
					logs[i] = h(l)
				}
			}
		}
		err := s.addLogarithms(sum, weights, logs, f.inverse, x, lo, hi, "matrix", each)
		if terms == nil {
			return err
		}
		for k := lo; k < hi; k++ {
			vec.Pack(terms.RawRowView(k), logs[(k-lo)*nn:(k-lo+1)*nn], n)
		}
		return err
	}
	return func(t *team, f *frame) ([]float64, error) {
		sum, err := t.accumulate(x, nn+2, func(s *scratch, lo, hi int, sum []float64) error {
			return body(f, s, lo, hi, sum)
		})
		if err == nil && equal {
			for i := range sum[:nn] {
				sum[i] *= w[0]
			}
		}
		return sum, err
	}
}

func logarithms(v []float64) spread {
	squares := 0.0
	for i, l := range v {
		v[i] = math.Log(l)
		squares += v[i] * v[i]
	}
	return spread{slices.Min(v), slices.Max(v), squares}
}

func (s spread) curvature() float64 {
	if half := (s.most - s.least) / 2; half > 1e-4 {
		return half / math.Tanh(half)
	}
	return 1
}

func riemannMean(ctx context.Context, x *Stack, w []float64, opt MeanOptions) ([]float64, rao.Report, error) {
	crew := teams.Get().(*team)
	defer teams.Put(crew)
	f, passes, err := riemannStart(crew, x, w, opt)
	if err != nil {
		return nil, rao.Report{}, err
	}
	return inFrames(ctx, crew, f, karcher(x, w), 1, passes, "Riemannian mean", opt)
}

// riemannStart returns the frame in which the iteration starts and the number of passes used.
func riemannStart(crew *team, x *Stack, w []float64, opt MeanOptions) (f *frame, passes int, err error) {
	start := full(opt.Start)
	if start == nil {
		if start, err = kullbackMean(crew, x, w); err != nil {
			return nil, 0, err
		}
		passes = 2
	}
	f, err = newFrame(start, x.Dim, "start of the mean")
	return f, passes, err
}

// inFrames finds the zero of a pull. The plain iteration M ← M½ exp(νJ) M½ converges linearly. Anderson acceleration
// over the last steps, which are comparable in parallel frames, makes it superlinear in practice. When the residual
// grows, the iteration clears the history and makes the safe plain step from the best point. inFrames starts at the
// frame f, which has cost the given number of passes, and moves f to the mean.
func inFrames(ctx context.Context, crew *team, f *frame, field pull, nu float64, passes int, method string,
	opt MeanOptions) ([]float64, rao.Report, error) {
	n, nn := f.n, f.n*f.n
	rep := rao.Report{Status: rao.StatusMaxIterations, Passes: passes}
	acc := newAnderson(nn)
	best := math.Inf(1)
	var from keptFrame // the best so far
	var path convergence
	for rep.Iterations = 0; rep.Iterations < opt.MaxIter; rep.Iterations++ {
		if ctx.Err() != nil {
			rep.Status = rao.StatusCanceled
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
		opt.Progress.Send(path.event("mean", rep.Iterations+1, residual, sum[nn], &opt))
		if residual < best {
			best = residual
			from.keep(f, j, sum[nn+1])
			rep.Objective, rep.GradientNorm = sum[nn], residual
		}
		if residual <= opt.Tol {
			rep.Status = rao.StatusConverged
			rep.Iterations++
			break
		}
		if residual > 2*best { // rounding may double it; a bad step more than doubles it
			acc.reset()
			nu = max(min(nu/2, 2/(1+from.beta)), 1/(1+from.beta))
			from.restore(f, j)
		}
		if acc.stalled(residual) {
			rep.Status = rao.StatusStalled
			break
		}
		if err := f.step(acc.step(j, nu)); err != nil {
			return nil, rep, err
		}
	}
	if math.IsInf(best, 1) { // canceled before the first pass
		rep.GradientNorm = best
	} else {
		f.g, f.inverse = from.g, from.inverse
	}
	return f.matrix(), rep, unconverged(ctx, method, rep)
}

// keptFrame is a point of the iteration to which it can return.
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
