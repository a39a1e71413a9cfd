package spd

import (
	"context"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/vec"
)

// Median returns the weighted geometric median of the matrices of x, which minimizes Σ w d(M, X). It remains bounded if
// fewer than half of the matrices are artifacts; the mean can be moved arbitrarily far by a single artifact. Nil
// weights mean equal weights.
//
// It uses Weiszfeld's iteration on the manifold (Fletcher, Venkatasubramanian and Joshi 2009, equation 11): each step
// is the mean of Log_M(X) with weights w/d. If it reaches one of the matrices, it continues as in Vardi and Zhang
// (2000). The metric must have distances and both maps: riemann, logeuclid, euclid, wasserstein or logchol.
//
// The residual (GradientNorm) is the length of a step divided by the mean distance, and Objective is Σ w d. If Tol is
// not met, or ctx is canceled, the matrix so far is returned with a *rao.NotConvergedError. Other errors are for a
// metric without maps or invalid weights, or name a matrix that is not SPD. An iteration costs the distances and
// logarithmic maps of all matrices.
func Median(ctx context.Context, x *Stack, weights []float64, metric Metric, opt MeanOptions) (*mat.SymDense,
	rao.Report, error) {
	begin := time.Now()
	rep := rao.Report{Status: rao.StatusMaxIterations}
	_, err := metric.with("logarithmic map", func(g *geometry) bool { return g.logMap != nil && g.expMap != nil })
	if err != nil {
		return nil, rep, err
	}
	if opt, err = opt.filled(); err != nil {
		return nil, rep, err
	}
	if err := x.verify("matrix"); err != nil {
		return nil, rep, err
	}
	w, err := normalized(weights, x.Count)
	if err != nil {
		return nil, rep, err
	}
	m := &median{x: x, w: w, metric: metric, logs: NewStack(x.Count, x.Dim), step: NewStack(1, x.Dim),
		at: NewStack(1, x.Dim)}
	if err := m.start(ctx, opt); err != nil {
		return nil, rep, err
	}
	var path convergence
	for rep.Iterations < opt.MaxIter {
		if ctx.Err() != nil {
			rep.Status = rao.StatusCanceled
			break
		}
		rep.Iterations++
		rep.Passes++
		if rep.Objective, rep.GradientNorm, err = m.move(ctx); err != nil {
			return nil, rep, err
		}
		opt.Progress.Send(path.event("median", rep.Iterations, rep.GradientNorm, rep.Objective, &opt))
		if rep.GradientNorm <= opt.Tol {
			rep.Status = rao.StatusConverged
			break
		}
	}
	rep.Elapsed = time.Since(begin)
	return symmetric(x.Dim, m.at.At(0)), rep, unconverged(ctx, "median", rep)
}

type median struct {
	x         *Stack
	w         []float64
	metric    Metric
	logs      *Stack
	step, at  *Stack // stacks of one matrix
	distances mat.Dense
}

// start sets the first point: the given matrix, or the Euclidean mean.
func (m *median) start(ctx context.Context, opt MeanOptions) error {
	if start := full(opt.Start); start != nil {
		if len(start) != m.x.Dim*m.x.Dim {
			panic(mat.ErrShape)
		}
		copy(m.at.At(0), start)
		return verifyMatrix(start, m.x.Dim, "start of the median", -1)
	}
	mean, _, err := weightedMean(ctx, m.x, m.w, Euclid, MeanOptions{})
	copy(m.at.At(0), mean)
	return err
}

// move makes one step. It returns the sum of distances before the step, and the length of the step divided by the mean
// distance.
func (m *median) move(ctx context.Context) (sum, length float64, err error) {
	at := symmetric(m.x.Dim, m.at.At(0))
	if err := Distances(ctx, &m.distances, m.metric, m.x, m.at); err != nil {
		return 0, 0, err
	}
	if err := LogMap(m.logs, m.metric, m.x, at); err != nil {
		return 0, 0, err
	}
	var pull, here float64 // Σ w/d of the others, and the weight of the matrices equal to the current point
	step := m.step.At(0)
	clear(step)
	for k, w := range m.w {
		d := m.distances.At(k, 0)
		sum += w * d
		if d == 0 {
			here += w
			continue
		}
		pull += w / d
		vec.Axpy(step, w/d, m.logs.At(k))
	}
	if pull == 0 { // all matrices are the same
		return sum, 0, nil
	}
	for i := range step {
		step[i] /= pull
	}
	next := NewStack(1, m.x.Dim)
	if err := ExpMap(next, m.metric, m.step, at); err != nil {
		return 0, 0, err
	}
	moved, err := pairDistance(m.metric, m.at.At(0), next.At(0), m.x.Dim)
	if err != nil {
		return 0, 0, err
	}
	if here > 0 { // the weight of this matrix exceeds the pull of the others, so it is the median
		left := 1 - here/(moved*pull)
		if !(left > 0) {
			return sum, 0, nil
		}
		for i := range step {
			step[i] *= left
		}
		if err := ExpMap(next, m.metric, m.step, at); err != nil {
			return 0, 0, err
		}
		moved *= left
	}
	m.at = next
	return sum, moved / sum, nil
}
