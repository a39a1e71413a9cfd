package sqfa

import (
	"fmt"

	"rao/gaussian"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
)

// steady is what is added to the pooled covariance before it is inverted, as a part of
// its mean variance.
const steady = 1e-8

// discriminants returns the k leading directions of Fisher's criterion for the classes'
// shares, n×k with unit columns: between-class variance over within-class variance, to
// which the noise is added. There are fewer where the classes or dimensions are.
func discriminants(stats *gaussian.Statistics, k int, noise float64) ([]float64, int, error) {
	n := stats.Dim
	k = min(k, n, stats.NumClasses()-1)
	_, l, between, _ := stats.Pooled(nil)
	var trace float64
	for j := range n {
		trace += l[j*n+j]
	}
	for j := range n {
		l[j*n+j] += noise + steady*trace/float64(n)
	}
	if column, _, ok := tri.Cholesky(n, l, 0); !ok {
		return nil, 0, fmt.Errorf("the pooled covariance is not positive definite, which shows at column %d: add feature noise, or use fewer dimensions", column)
	}
	tri.SolveLower(n, n, l, n, between, n, false) // L⁻¹ B, and again from the other side
	turned := make([]float64, n*n)
	transpose(turned, between, n, n)
	tri.SolveLower(n, n, l, n, turned, n, false)
	dense.Mirror(n, turned, n)
	x, _, err := ritz.Leading(turned, n, k)
	if err != nil {
		return nil, 0, err
	}
	tri.SolveLower(n, k, l, n, x, k, true)
	vec.NormalizeColumns(x, k)
	return x, k, nil
}

// discriminantStart returns m filters to start from: discriminants, then principal components.
func discriminantStart(stats *gaussian.Statistics, m int, noise float64) ([]float64, error) {
	x, k, err := discriminants(stats, m, noise)
	if err != nil || k == m {
		return x, err
	}
	v, _, err := principal(stats, m-k)
	if err != nil {
		return nil, err
	}
	return joinColumns(x, k, v, m-k, stats.Dim), nil
}
