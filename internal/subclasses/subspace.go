package subclasses

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/orth"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
)

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
	f, k, err := ritz.Discriminants(within, between, n, min(d/2, classes-1), 0)
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
func Subspace(all *gaussian.Statistics, counts []int, means []float64, d int) (*Basis, error) {
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
	for i, x := range classstats.CovarianceOf(all, 0) {
		within[i] = x - between[i]
	}
	v, err := span(within, between, n, d, c)
	if err != nil {
		return nil, err
	}
	d = len(v) / n
	b := &Basis{Center: slices.Clone(mean), Components: mat.NewDense(n, d, v), Variances: make([]float64, d),
		Scale: classstats.GlobalScale(all), Columns: slices.Clone(all.Columns)}
	for j := range n {
		b.Variance += classstats.CovarianceOf(all, 0)[j*n+j]
	}
	projected := all.Project(b.Components)
	for j := range d {
		b.Variances[j] = classstats.CovarianceOf(projected, 0)[j*d+j]
	}
	return b, b.Validate()
}
