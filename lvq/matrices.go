package lvq

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/spd"
)

// matrices are SPD samples made ready for one metric. In a flat one rows are their vectors.
type matrices struct {
	metric spd.Metric
	flat   *spd.FlatSpace // nil for the affine-invariant metric
	x      *spd.Stack
	rows   []float64
}

// projectionFloor is the smallest eigenvalue of a projected prototype: the threshold with which
// Tang et al. 2021 run RSLVQ and GMLVQ on matrices. Of matrices whose mean diagonal entry is below
// 1 it is this share of that entry: EEG in volts has variances of 1e-10.
const projectionFloor = 1e-4

// Metrics returns the names of the metrics that prototypes of matrices can have: the
// affine-invariant one, in which they move along geodesics, and those that are flat.
func Metrics() []string { return append([]string{string(spd.Riemann)}, spd.FlatMetrics()...) }

// flatSpace returns the space of a metric in which prototypes are vectors, nil for the
// affine-invariant one. Other metrics are an error.
func flatSpace(metric spd.Metric) (*spd.FlatSpace, error) {
	if f := metric.Flat(); f != nil || slices.Contains(Metrics(), string(metric)) {
		return f, nil
	}
	return nil, fmt.Errorf("lvq: unknown metric %q: want %s", metric, strings.Join(Metrics(), ", "))
}

// prepare makes the vectors of the samples where the metric is flat.
func prepare(metric spd.Metric, x *spd.Stack) (m *matrices, err error) {
	m = &matrices{metric: metric, x: x}
	if m.flat, err = flatSpace(metric); m.flat != nil {
		m.rows, err = embed(m.flat, x, "matrix")
	}
	return m, err
}

// embed returns the vectors of a stack.
func embed(f *spd.FlatSpace, x *spd.Stack, role string) ([]float64, error) {
	rows, err := f.Vectors(context.Background(), x, role)
	if err != nil {
		return nil, fmt.Errorf("lvq: %w", err)
	}
	return rows, nil
}

// space places prototypes beside the samples.
func (m *matrices) space(prototypes *spd.Stack) (space, error) {
	if m.flat == nil {
		return newFactors(m.x, prototypes)
	}
	w, err := embed(m.flat, prototypes, "prototype")
	if err != nil {
		return nil, err
	}
	return newVectors(m.flat, m.x.Dim, m.rows, w, m.rows), nil
}

// newVectors returns the space of the vectors x and w of matrices of order n. Prototypes that
// move stay SPD matrices, as large as those of like.
func newVectors(f *spd.FlatSpace, n int, x, w, like []float64) *vectors {
	dim := spd.TangentDim(n)
	return &vectors{dim: dim, n: len(x) / dim, x: x, w: w, project: f.Projection(like, n, projectionFloor)}
}

// stack returns the prototypes of a space as matrices.
func (m *matrices) stack(s space) (*spd.Stack, error) {
	switch s := s.(type) {
	case *factors:
		return s.stack()
	case *vectors:
		return prototypesOf(m.flat, s.w, m.x.Dim)
	}
	panic("lvq: a space without matrices")
}

// prototypesOf returns the matrices of order n of vectors.
func prototypesOf(f *spd.FlatSpace, w []float64, n int) (*spd.Stack, error) {
	x, err := f.Matrices(w, n)
	if err != nil {
		return nil, fmt.Errorf("lvq: prototypes: %w", err)
	}
	return x, nil
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
		if !vec.Finite(v) {
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
	return fmt.Errorf("lvq: %w", &spd.MatrixError{Role: role, Index: lo + k, Problem: spd.NotPositiveDefinite,
		Value: values[0], Largest: values[x.Dim-1]})
}
