package lvq

import (
	"context"
	"fmt"
	"math"

	"rao/internal/linalg/small"
	"rao/internal/par"
	"rao/spd"
)

// matrices are SPD samples made ready for one metric. For the flat metrics rows
// holds their embedding: the upper triangle of log X (LogEuclid) or of X
// (Euclid), off-diagonal entries times √2 so that dot products are traces.
type matrices struct {
	metric spd.Metric
	x      *spd.Stack
	dim    int
	rows   []float64
}

// projectionFloor is the smallest eigenvalue of a projected prototype: the threshold with which
// Tang et al. 2021 run RSLVQ and GMLVQ on matrices. Of matrices whose mean diagonal entry is below
// 1 it is this share of that entry: EEG in volts has variances of 1e-10.
const projectionFloor = 1e-4

// prepare embeds the samples where the metric needs it.
func prepare(metric spd.Metric, x *spd.Stack) (*matrices, error) {
	m := &matrices{metric: metric, x: x}
	if metric == spd.Riemann {
		return m, nil
	}
	m.dim = x.Dim * (x.Dim + 1) / 2
	var err error
	m.rows, err = embed(metric, x, "matrix")
	return m, err
}

// embed returns the embedding rows of a stack.
func embed(metric spd.Metric, x *spd.Stack, role string) ([]float64, error) {
	n := x.Dim
	dim := n * (n + 1) / 2
	rows := make([]float64, x.Count*dim)
	const grain = 32
	type scratch struct {
		ws           small.Workspace
		logs, packed []float64
	}
	work := make([]scratch, par.Workers(x.Count, grain))
	failed := make([]error, par.Chunks(x.Count, grain))
	par.For(x.Count, grain, func(w, lo, hi int) {
		s := &work[w]
		if s.logs == nil {
			s.logs, s.packed = make([]float64, grain*n*n), make([]float64, grain*n*n)
		}
		for k := lo; k < hi; k++ {
			copy(s.packed[(k-lo)*n*n:], x.At(k))
		}
		src := s.packed
		if metric == spd.LogEuclid {
			if err := logAll(&s.ws, s.logs, s.packed, n, hi-lo); err != nil {
				failed[lo/grain] = placeError(role, err, func(k int) int { return lo + k })
				return
			}
			src = s.logs
		}
		for k := lo; k < hi; k++ {
			pack(rows[k*dim:(k+1)*dim], src[(k-lo)*n*n:], n)
		}
	})
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// logAll writes the matrix logarithms of count contiguous matrices.
func logAll(ws *small.Workspace, dst, a []float64, n, count int) error {
	values, vectors := make([]float64, count*n), make([]float64, count*n*n)
	if err := ws.Eigen(values, vectors, a[:count*n*n], n, count); err != nil {
		return err
	}
	for i, v := range values {
		if !(v > 0) {
			return &small.Error{Index: i / n, Reason: small.NotPositiveDefinite, Value: v}
		}
		values[i] = math.Log(v)
	}
	ws.Rebuild(dst[:count*n*n], vectors, values, n, count)
	return nil
}

// pack writes the upper triangle of a, off-diagonal entries times √2.
func pack(dst, a []float64, n int) {
	k := 0
	for i := range n {
		dst[k] = a[i*n+i]
		k++
		for j := i + 1; j < n; j++ {
			dst[k] = math.Sqrt2 * a[i*n+j]
			k++
		}
	}
}

// unpack reverses pack.
func unpack(a, src []float64, n int) {
	k := 0
	for i := range n {
		a[i*n+i] = src[k]
		k++
		for j := i + 1; j < n; j++ {
			v := src[k] / math.Sqrt2
			a[i*n+j], a[j*n+i] = v, v
			k++
		}
	}
}

// space places prototypes beside the samples.
func (m *matrices) space(prototypes *spd.Stack) (space, error) {
	if m.metric == spd.Riemann {
		return newFactors(m.x, prototypes)
	}
	w, err := embed(m.metric, prototypes, "prototype")
	if err != nil {
		return nil, err
	}
	v := &vectors{dim: m.dim, n: m.x.Count, x: m.rows, w: w}
	if m.metric == spd.Euclid {
		v.project = newProjection(m.x).apply
	}
	return v, nil
}

// stack returns the prototypes of a space as matrices.
func (m *matrices) stack(s space) (*spd.Stack, error) {
	if f, ok := s.(*factors); ok {
		return f.stack()
	}
	v, n := s.(*vectors), m.x.Dim
	p := len(v.w) / v.dim
	out := spd.NewStack(p, n)
	for l := range p {
		unpack(out.At(l), v.at(l), n)
	}
	if m.metric == spd.LogEuclid {
		var ws small.Workspace
		values, vecs := make([]float64, p*n), make([]float64, p*n*n)
		if err := ws.Eigen(values, vecs, out.Data, n, p); err != nil {
			return nil, placeError("prototype", err, func(k int) int { return k })
		}
		for i, x := range values {
			values[i] = math.Exp(x)
		}
		ws.Rebuild(out.Data, vecs, values, n, p)
		symmetrize(out.Data, n)
	}
	return out, nil
}

// mean returns the mean of some samples in the metric.
func (m *matrices) mean(ctx context.Context, index []int) ([]float64, error) {
	mean, _, err := spd.Mean(ctx, m.x.Select(index), nil, m.metric, spd.MeanOptions{})
	if mean == nil {
		return nil, fmt.Errorf("lvq: %s mean of %d matrices, the first is matrix %d: %w",
			m.metric, len(index), index[0], err)
	}
	return mean.RawSymmetric().Data, nil
}

// projection moves a packed symmetric matrix to the nearest one with eigenvalues
// of at least the floor.
type projection struct {
	n                  int
	floor              float64
	ws                 small.Workspace
	a, l, values, vecs []float64
}

// newProjection returns a projection for matrices of the size of those given.
func newProjection(x *spd.Stack) *projection {
	n, trace := x.Dim, 0.0
	for k := range x.Count {
		for i := range n {
			trace += x.Data[k*n*n+i*n+i]
		}
	}
	return &projection{n: n, floor: projectionFloor * math.Min(1, trace/float64(n*x.Count)),
		a: make([]float64, n*n), l: make([]float64, n*n), values: make([]float64, n), vecs: make([]float64, n*n)}
}

func (p *projection) apply(w []float64) error {
	n := p.n
	unpack(p.a, w, n)
	for i := range n {
		p.a[i*n+i] -= p.floor
	}
	if p.ws.Cholesky(p.l, p.a, n, 1) == nil {
		return nil // inside already
	}
	for i := range n {
		p.a[i*n+i] += p.floor
	}
	if err := p.ws.Eigen(p.values, p.vecs, p.a, n, 1); err != nil {
		return fmt.Errorf("lvq: projecting a prototype: %w; lower the rate or raise sigma2", err)
	}
	for i, v := range p.values {
		p.values[i] = math.Max(v, p.floor)
	}
	p.ws.Rebuild(p.a, p.vecs, p.values, n, 1)
	pack(w, p.a, n)
	return nil
}

// checkSPD returns an error that names the first matrix that is not finite,
// symmetric and positive definite.
func checkSPD(role string, x *spd.Stack) error {
	if err := x.Validate(); err != nil {
		return fmt.Errorf("lvq: %w", err)
	}
	n := x.Dim
	const grain = 64
	work := make([]struct {
		ws   small.Workspace
		a, l []float64
	}, par.Workers(x.Count, grain))
	failed := make([]error, par.Chunks(x.Count, grain))
	par.For(x.Count, grain, func(w, lo, hi int) {
		s := &work[w]
		if s.a == nil {
			s.a, s.l = make([]float64, grain*n*n), make([]float64, grain*n*n)
		}
		for k := lo; k < hi; k++ {
			if err := checkSymmetric(x.At(k), n, role, k); err != nil {
				failed[lo/grain] = err
				return
			}
			copy(s.a[(k-lo)*n*n:], x.At(k))
		}
		if err := s.ws.Cholesky(s.l[:(hi-lo)*n*n], s.a[:(hi-lo)*n*n], n, hi-lo); err != nil {
			failed[lo/grain] = notPositive(role, err, x, lo)
		}
	})
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSymmetric names the place of a NaN, an infinity or an asymmetry.
func checkSymmetric(a []float64, n int, role string, k int) error {
	scale := 0.0
	for i, v := range a {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("lvq: %s %d is not finite at row %d, column %d: drop the matrix or the channel (rao "+
				"check finds such)", role, k, i/n, i%n)
		}
		scale = math.Max(scale, math.Abs(v))
	}
	for i := range n {
		for j := range i {
			if math.Abs(a[i*n+j]-a[j*n+i]) > 1e-8*scale {
				return fmt.Errorf("lvq: %s %d is not symmetric: row %d, column %d is %g, its mirror %g",
					role, k, i, j, a[i*n+j], a[j*n+i])
			}
		}
	}
	return nil
}

// notPositive says which matrix of a chunk that begins at lo failed and its
// smallest eigenvalue.
func notPositive(role string, err error, x *spd.Stack, lo int) error {
	k, ok := failedIndex(err)
	if !ok {
		return fmt.Errorf("lvq: %s: %w", role, err)
	}
	var ws small.Workspace
	values := make([]float64, x.Dim)
	if e := ws.EigenValues(values, x.At(lo+k), x.Dim, 1); e != nil {
		return fmt.Errorf("lvq: %s %d: %w", role, lo+k, e)
	}
	return fmt.Errorf("lvq: %s %d is not positive definite: its smallest eigenvalue is %.3g, its largest %.3g; "+
		"drop a channel, shrink or repair it (rao check names the remedy)", role, lo+k, values[0], values[x.Dim-1])
}
