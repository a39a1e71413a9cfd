package ritz

import (
	"fmt"
	"rao/internal/linalg/vec"
	"slices"
)

// steady is the fraction of its mean variance that is added to a pooled covariance before it is inverted.
const steady = 1e-8

// Discriminants returns the k leading directions of between-class variance relative to within-class variance, n×k with
// unit columns, and k, which is at most n. The ridge is added to the variances within the classes. It returns an error
// if the covariance within the classes is then not positive definite.
func Discriminants(within, between []float64, n, k int, ridge float64) ([]float64, int, error) {
	k = min(k, n)
	w := slices.Clone(within)
	trace := vec.Trace(w, n)
	for j := range n {
		w[j*n+j] += ridge + steady*trace/float64(n)
	}
	x, err := Relative(slices.Clone(between), w, n, k)
	if err != nil {
		return nil, 0, fmt.Errorf("the pooled covariance is %w; add feature noise, or use fewer dimensions", err)
	}
	return x, k, nil
}
