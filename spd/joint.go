package spd

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/joint"
	"rao/internal/linalg/ritz"
)

// JointFilters returns the filters F, in columns, that make all F'X F as diagonal as possible. They minimize Σ w (log
// det diag(F'X F) − log det(F'X F)), which is zero if all are diagonal (Pham 2001). If the channels are mixtures of
// sources that are independent in every recording, F separates the sources. The filters are scaled so that Σ w F'X F
// has ones on its diagonal, and the entry of largest magnitude in each filter is positive. For two matrices the
// solution is exact.
//
// Weights must not be negative; nil means equal weights. The error names a matrix that is not SPD. The iteration ends
// when the largest change of a sweep is at most Tol (default 1e-9), or after MaxIter sweeps (default 5000). If it does
// not converge, or ctx is canceled, the filters so far are returned with a *rao.NotConvergedError. A sweep costs 8 n³
// operations per matrix.
func JointFilters(ctx context.Context, x *Stack, weights []float64, opt MeanOptions) (*mat.Dense, rao.Report, error) {
	begin := time.Now()
	opt.MaxIter = cmp.Or(opt.MaxIter, jointSweeps)
	w, opt, err := opt.inputs(x, weights)
	if err != nil {
		return nil, rao.Report{}, err
	}
	b, _, rep, err := jointly(ctx, x, w, opt)
	rep.Elapsed = time.Since(begin)
	if b == nil {
		return nil, rep, err
	}
	n := x.Dim
	filters := mat.NewDense(n, n, nil)
	for i := range n {
		filters.SetCol(i, b[i*n:(i+1)*n])
	}
	ritz.FixSigns(filters.RawMatrix().Data, n, n)
	return filters, rep, err
}

// jointly returns a matrix B, one filter per row, for which every B X B' is nearly diagonal. It also returns the
// matrices B X B', scaled so that the diagonal of their mean is 1. If there is no B, err explains why.
func jointly(ctx context.Context, x *Stack, w []float64, opt MeanOptions) ([]float64, *Stack, rao.Report, error) {
	n := x.Dim
	mean, _, err := weightedMean(ctx, x, w, Euclid, MeanOptions{})
	if err != nil {
		return nil, nil, rao.Report{}, err
	}
	f, err := newFrame(mean, n, "mean")
	if err != nil {
		return nil, nil, rao.Report{}, err
	}
	if _, err := new(team).whiteners(nil, x, "matrix"); err != nil { // each must be positive definite
		return nil, nil, rao.Report{}, err
	}
	var y Stack
	if err := congruences(&y, x, f.inverse); err != nil {
		return nil, nil, rao.Report{}, err
	}
	c := make([][]float64, y.Count)
	for k := range c {
		c[k] = y.At(k)
	}
	rep := joint.Diagonalize(ctx, f.inverse, c, w, n, opt.MaxIter, opt.Tol, opt.Progress)
	scales := make([]float64, n)
	for k := range c {
		for i := range n {
			scales[i] += w[k] * c[k][i*n+i]
		}
	}
	for i := range scales {
		scales[i] = 1 / math.Sqrt(scales[i])
	}
	scaleRows(f.inverse, scales)
	for k := range c {
		rescale(c[k], scales)
	}
	return f.inverse, &y, rep, unconverged(ctx, "joint diagonalization", rep)
}

func scaleRows(b, scales []float64) {
	n := len(scales)
	for i, s := range scales {
		for j := range n {
			b[i*n+j] *= s
		}
	}
}

// rescale multiplies rows and columns of a symmetric matrix.
func rescale(a, scales []float64) {
	n := len(scales)
	for i := range n {
		for j := range n {
			a[i*n+j] *= scales[i] * scales[j]
		}
	}
}

// jointSweeps is the default of MaxIter. The change per sweep falls by a constant factor, which is near one if sources
// have similar spectra.
const jointSweeps = 5000

// JointMean returns the mean of the matrices of x by their joint diagonalization, the ALE mean: with the diagonalizer B
// of [JointFilters],
//
//	M = B⁻¹ exp(J) B⁻ᵀ,   J = Σ w log(B X B')
//
// where the rows of B are scaled until exp(J) has ones on its diagonal (Congedo, Afsari, Barachant and Moakher 2015).
// If the matrices have a common diagonalizer, M is their Riemannian mean; if they nearly have a common diagonalizer, M
// is close to their Riemannian mean. M is equivariant under congruence. Nil weights mean equal weights. The error names
// a matrix that is not SPD.
//
// The scaling ends when the norm of the logarithms of the diagonal of exp(J) is at most Tol (default 1e-9), or after
// MaxIter steps. If it does not converge, or ctx is canceled, the mean so far is returned with a
// *rao.NotConvergedError. The cost is one joint diagonalization, plus one eigendecomposition per matrix and step.
func JointMean(ctx context.Context, x *Stack, weights []float64, opt MeanOptions) (*mat.SymDense, rao.Report, error) {
	begin := time.Now()
	opt.MaxIter = cmp.Or(opt.MaxIter, jointSweeps)
	w, opt, err := opt.inputs(x, weights)
	if err != nil {
		return nil, rao.Report{}, err
	}
	b, y, rep, err := jointly(ctx, x, w, opt)
	if b == nil {
		return nil, rep, err
	}
	n, sweeps := x.Dim, err
	rep.Status = rao.StatusMaxIterations
	var mean []float64
	scales := make([]float64, n)
	for {
		if mean, _, err = weightedMean(ctx, y, w, LogEuclid, MeanOptions{}); err != nil {
			return nil, rep, err
		}
		rep.Passes++
		rep.GradientNorm = 0
		for i := range scales {
			d := mean[i*n+i]
			rep.GradientNorm = math.Hypot(rep.GradientNorm, math.Log(d))
			scales[i] = 1 / math.Sqrt(d)
		}
		if rep.GradientNorm <= opt.Tol {
			rep.Status = rao.StatusConverged
			break
		}
		if ctx.Err() != nil {
			rep.Status = rao.StatusCanceled
		}
		if rep.Iterations >= opt.MaxIter || rep.Status == rao.StatusCanceled {
			break
		}
		rep.Iterations++
		scaleRows(b, scales)
		for k := range y.Count {
			rescale(y.At(k), scales)
		}
	}
	var back mat.Dense
	if err := back.Inverse(mat.NewDense(n, n, b)); err != nil {
		return nil, rep, fmt.Errorf("the filters cannot be inverted: %w", err)
	}
	out := NewStack(1, n)
	if err := congruences(out, StackOf(1, n, mean), back.RawMatrix().Data); err != nil {
		return nil, rep, err
	}
	rep.Elapsed = time.Since(begin)
	if err := unconverged(ctx, "ALE mean", rep); err != nil {
		return out.Sym(0), rep, err
	}
	return out.Sym(0), rep, sweeps
}
