package gaussian

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/orth"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
)

// steady is the fraction of its mean variance that is added to a pooled covariance before it is inverted.
const steady = 1e-8

// Discriminants returns the k leading directions of between-class variance relative to within-class variance, n×k with
// unit columns. k is limited to n and to one less than the number of classes. The ridge is added to the variances
// within the classes. It returns an error if the covariance within the classes is then not positive definite.
func (s *Statistics) Discriminants(k int, ridge float64) (*mat.Dense, error) {
	_, within, between, _ := s.pooled(nil)
	x, k, err := discriminants(within, between, s.Dim, min(k, s.NumClasses()-1), ridge)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(s.Dim, k, x), nil
}

// discriminants is [Statistics.Discriminants] of pooled matrices; it also returns k after limiting.
func discriminants(within, between []float64, n, k int, ridge float64) ([]float64, int, error) {
	k = min(k, n)
	w := slices.Clone(within)
	var trace float64
	for j := range n {
		trace += w[j*n+j]
	}
	for j := range n {
		w[j*n+j] += ridge + steady*trace/float64(n)
	}
	x, err := ritz.Relative(slices.Clone(between), w, n, k)
	if err != nil {
		return nil, 0, fmt.Errorf("the pooled covariance is %w; add feature noise, or use fewer dimensions", err)
	}
	return x, k, nil
}

// span returns orthonormal columns, n×d. The first half spans the leading principal components of the total covariance.
// The following columns are discriminants or, if there are too few discriminants, further components.
func span(within, between []float64, n, d, classes int) ([]float64, error) {
	d = min(d, n)
	total := make([]float64, n*n)
	for i := range total {
		total[i] = within[i] + between[i]
	}
	v, _, err := ritz.Leading(total, n, d)
	if err != nil {
		return nil, err
	}
	f, k, err := discriminants(within, between, n, min(d/2, classes-1), 0)
	if err != nil {
		return nil, err
	}
	half := (d + 1) / 2
	cols := make([]float64, 0, n*(d+k)) // components, discriminants, more components
	for r := range n {
		cols = append(cols, v[r*d:r*d+half]...)
		cols = append(cols, f[r*k:(r+1)*k]...)
		cols = append(cols, v[r*d+half:(r+1)*d]...)
	}
	vec.NormalizeColumns(cols, d+k)
	if orth.Columns(cols, n, d+k, d, 1e-9, nil) < d {
		return nil, fmt.Errorf("the leading components span fewer than %d dimensions; use fewer dimensions", d)
	}
	return cols[:n*d], nil
}

// Subspace returns a basis of d dimensions for class statistics, for learning filters with many classes: half principal
// components of all classes together, half discriminants. The argument all describes all rows as a single class; counts
// and means (c×n) describe the classes.
func Subspace(all *Statistics, counts []int, means []float64, d int) (*Basis, error) {
	n, c := all.Dim, len(counts)
	mean := all.Mean(0)
	centered, total := make([]float64, c*n), float64(all.Counts[0])
	for i, count := range counts {
		w := math.Sqrt(float64(count) / total)
		for j, x := range means[i*n : (i+1)*n] {
			centered[i*n+j] = w * (x - mean[j])
		}
	}
	between, within := make([]float64, n*n), make([]float64, n*n)
	dense.Syrk(n, c, 1, centered, n, 0, between, n)
	for i, x := range all.cov(0) {
		within[i] = x - between[i]
	}
	v, err := span(within, between, n, d, c)
	if err != nil {
		return nil, err
	}
	d = len(v) / n
	b := &Basis{Center: slices.Clone(mean), Components: mat.NewDense(n, d, v), Variances: make([]float64, d),
		Scale: all.GlobalScale(), Columns: slices.Clone(all.Columns)}
	for j := range n {
		b.Variance += all.cov(0)[j*n+j]
	}
	projected := all.Project(b.Components)
	for j := range d {
		b.Variances[j] = projected.cov(0)[j*d+j]
	}
	return b, b.Validate()
}
