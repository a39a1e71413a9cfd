package lvq

import (
	"context"
	"fmt"
	"slices"

	"rao"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// matrices are SPD samples prepared for one metric. In a flat metric, rows has their vectors.
type matrices struct {
	metric spd.Metric
	flat   *spd.FlatSpace // nil for the affine-invariant metric
	x      *spd.Stack
	rows   []float64
}

// projectionFloor is the smallest eigenvalue of a projected prototype. It is the threshold with which Tang et al. 2021
// run RSLVQ and GMLVQ on matrices. For matrices with a mean diagonal entry below 1, it is relative to that entry: EEG
// in volts has variances of 1e-10.
const projectionFloor = 1e-4

// flatSpace returns the space in which prototypes are vectors, or nil for the affine-invariant metric. It returns an
// error for other metrics.
func flatSpace(metric spd.Metric) (*spd.FlatSpace, error) {
	if known := spd.SpaceMetrics(); !slices.Contains(known, string(metric)) {
		return nil, &rao.UnknownError{Kind: "metric of prototypes", Name: string(metric), Known: known}
	}
	return metric.Flat(), nil
}

// prepare computes the vectors of the samples if the metric is flat.
func prepare(metric spd.Metric, x *spd.Stack) (m *matrices, err error) {
	m = &matrices{metric: metric, x: x}
	if m.flat, err = flatSpace(metric); m.flat != nil {
		m.rows, err = m.flat.Vectors(context.Background(), x, "matrix")
	}
	return m, err
}

func (m *matrices) space(prototypes *spd.Stack) (space, error) {
	if m.flat == nil {
		return newFactors(m.x, prototypes)
	}
	w, err := m.flat.Vectors(context.Background(), prototypes, "prototype")
	if err != nil {
		return nil, err
	}
	return newVectors(m.flat, m.x.Dim, m.rows, w, m.rows), nil
}

// newVectors returns the space of the vectors x and w of matrices of order n. Prototypes that move stay SPD matrices
// with eigenvalues above a floor that is relative to like.
func newVectors(f *spd.FlatSpace, n int, x, w, like []float64) *vectors {
	dim := vec.PackedLen(n)
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
	panic("lvq: this space has no matrices")
}

// prototypesOf returns the matrices of order n for the vectors w.
func prototypesOf(f *spd.FlatSpace, w []float64, n int) (*spd.Stack, error) {
	x, err := f.Matrices(w, n)
	if err != nil {
		return nil, fmt.Errorf("prototypes: %w", err)
	}
	return x, nil
}

// mean returns the mean of some samples in the metric.
func (m *matrices) mean(ctx context.Context, index []int) ([]float64, error) {
	mean, _, err := spd.Mean(ctx, m.x.Select(index), nil, m.metric, spd.MeanOptions{})
	if mean == nil {
		return nil, fmt.Errorf("%s mean of %d matrices (the first is matrix %d): %w",
			m.metric, len(index), index[0], err)
	}
	return mean.RawSymmetric().Data, nil
}
