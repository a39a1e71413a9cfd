package spd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
)

// seenChannels returns the observed channels of each matrix of x, in ascending order. A channel is observed unless its
// entire row and column are NaN. It returns an error for a NaN elsewhere, or if a matrix has no observed channel.
func seenChannels(x *Stack) ([][]int, error) {
	seen := make([][]int, x.Count)
	for k := range seen {
		a := x.At(k)
		for i := range x.Dim {
			if !allNaN(a, x.Dim, i) {
				seen[k] = append(seen[k], i)
			}
		}
		if seen[k] == nil {
			return nil, faults.Data("all values of matrix %d are NaN; leave the matrix out", k)
		}
		for _, i := range seen[k] {
			for _, j := range seen[k] {
				if v := a[i*x.Dim+j]; v != v {
					return nil, faults.Data("matrix %d has a NaN at row %d, column %d, but not in all of the row and "+
						"column; set both to NaN if the channel is missing", k, i, j)
				}
			}
		}
	}
	return seen, nil
}

// allNaN reports whether row and column i are all NaN.
func allNaN(a []float64, n, i int) bool {
	for j := range n {
		if v, u := a[i*n+j], a[j*n+i]; v == v || u == u {
			return false
		}
	}
	return true
}

// MaskedMean returns the weighted Riemannian mean of matrices with missing channels. It minimizes
//
//	Σ w d²(P_k'M P_k, X_k)
//
// over SPD M, where P_k selects the channels seen[k] and d is [Riemann] (Yger, Chevallier, Barthélemy and Sra 2020).
// Channels are numbered from 0, in ascending order. The entries of x at other channels are not read and may be NaN. If
// seen is nil, a channel is seen unless its entire row and column are NaN; a NaN elsewhere is an error. If all channels
// are seen, the result equals the result of [Mean]. Nil weights mean equal weights.
//
// It returns an error if two channels never occur together in a matrix with positive weight, because their covariance
// cannot be estimated, if seen or the weights are invalid, or if a matrix of the seen channels is not SPD. With L_k the
// Cholesky factor of P_k'M P_k, the residual is the norm of Σ w B_k' log(L_k⁻¹ X_k L_k⁻ᵀ) B_k, B_k = L_k⁻¹ P_k' M½,
// which is half the gradient. If Tol is not met, or ctx is canceled, the matrix so far is returned with a
// *rao.NotConvergedError. The default start is diagonal. The cost is one eigendecomposition per matrix and iteration.
func MaskedMean(ctx context.Context, x *Stack, seen [][]int, weights []float64, opt MeanOptions) (*mat.SymDense,
	rao.Report, error) {
	begin := time.Now()
	var rep rao.Report
	opt, err := opt.filled()
	if err != nil {
		return nil, rep, err
	}
	if err := x.Validate(); err != nil {
		return nil, rep, err
	}
	w, err := normalized(weights, x.Count)
	if err != nil {
		return nil, rep, err
	}
	if err := opt.verifyStart(x.Dim); err != nil {
		return nil, rep, err
	}
	if seen == nil {
		if seen, err = seenChannels(x); err != nil {
			return nil, rep, err
		}
	}
	m, err := newMasked(x, seen, w)
	if err != nil {
		return nil, rep, err
	}
	start := full(opt.Start)
	if start == nil {
		start = m.variances()
	}
	f, err := newFrame(start, x.Dim, "start of the mean")
	if err != nil {
		return nil, rao.Report{}, err
	}
	mean, rep, err := inFrames(ctx, new(team), f, m.pull, 1, 1, "masked mean", opt)
	rep.Elapsed = time.Since(begin)
	return symmetric(x.Dim, mean), rep, err
}

// masked is the state of MaskedMean: part[k] is the matrix of the channels seen[k].
type masked struct {
	x    *Stack
	seen [][]int
	w    []float64
	part []*Stack
}

func newMasked(x *Stack, seen [][]int, w []float64) (*masked, error) {
	n := x.Dim
	if len(seen) != x.Count {
		return nil, fmt.Errorf("there are lists of seen channels for %d matrices, but there are %d matrices; give one "+
			"list per matrix", len(seen), x.Count)
	}
	m := &masked{x: x, seen: seen, w: w, part: make([]*Stack, x.Count)}
	together := make([]bool, n*n)
	for k, channels := range seen {
		if !indices.Ascending(channels, n) {
			return nil, fmt.Errorf("the list of seen channels %v of matrix %d must contain ascending numbers from 0 "+
				"to %d", channels, k, n-1)
		}
		m.part[k] = NewStack(1, len(channels))
		vec.Submatrix(m.part[k].At(0), x.At(k), n, channels)
		if err := verifyMatrix(m.part[k].At(0), len(channels), "matrix", k); err != nil {
			return nil, err
		}
		for _, i := range channels {
			for _, j := range channels {
				together[i*n+j] = together[i*n+j] || w[k] > 0
			}
		}
	}
	for i := range n {
		if !together[i*n+i] {
			return nil, faults.Data("channel %d is missing in every matrix; leave it out", i)
		}
	}
	if p := slices.Index(together, false); p >= 0 {
		return nil, faults.Data("no matrix contains both channels %d and %d, so their covariance is unknown; leave "+
			"one of them out", p/n, p%n)
	}
	return m, nil
}

// variances returns the diagonal matrix of the mean variances.
func (m *masked) variances() []float64 {
	n := m.x.Dim
	out, weight := make([]float64, n*n), make([]float64, n)
	for k, channels := range m.seen {
		for _, i := range channels {
			out[i*n+i] += m.w[k] * m.x.At(k)[i*n+i]
			weight[i] += m.w[k]
		}
	}
	for i := range n {
		out[i*n+i] /= weight[i]
	}
	return out
}

// pull returns Σ w B' log(L⁻¹ X L⁻ᵀ) B. The rows of B are orthonormal, so the curvature is at most the curvature of a
// mean of complete matrices.
func (m *masked) pull(t *team, f *frame) ([]float64, error) {
	nn := m.x.Dim * m.x.Dim
	at := f.matrix()
	return t.accumulate(m.x, nn+2, func(s *scratch, lo, hi int, sum []float64) error {
		for k := lo; k < hi; k++ {
			if err := m.add(s, sum, f.g, at, k); err != nil {
				return err
			}
		}
		return nil
	})
}

func (m *masked) add(s *scratch, sum, g, at []float64, k int) error {
	n, channels := m.x.Dim, m.seen[k]
	c := len(channels)
	l, white, b, lb := s.buf(0, c*c), s.buf(1, c*c), s.buf(2, c*n), s.buf(3, c*n)
	vec.Submatrix(l, at, n, channels)
	if err := s.w.Cholesky(l, l, c, 1); err != nil {
		return single(failed(err, StackOf(1, c, l), 0, "step of the mean"))
	}
	s.w.InvertLower(l, l, c, 1)
	s.w.Congruence(white, l, m.part[k].At(0), c, 1, true)
	vals := s.values(c)
	if err := s.w.Eigen(vals, white, white, c, 1); err != nil {
		return failed(err, m.x, k, "matrix")
	}
	if !definiteRange(vals[0], vals[c-1], c) {
		return notDefinite(m.part[k].At(0), c, "matrix", k)
	}
	of := logarithms(vals)
	sum[n*n] += m.w[k] * of.squares
	sum[n*n+1] += m.w[k] * of.curvature()
	s.w.Rebuild(white, white, vals, c, 1)
	clear(b)
	clear(lb)
	for i := range c { // B = L⁻¹ P' G, and log·B
		for j := range i + 1 {
			vec.Axpy(b[i*n:(i+1)*n], l[i*c+j], g[channels[j]*n:(channels[j]+1)*n])
		}
	}
	for i := range c {
		for j := range c {
			vec.Axpy(lb[i*n:(i+1)*n], white[i*c+j], b[j*n:(j+1)*n])
		}
	}
	for i := range c {
		for p := range n {
			vec.Axpy(sum[p*n:(p+1)*n], m.w[k]*b[i*n+p], lb[i*n:(i+1)*n])
		}
	}
	return nil
}
