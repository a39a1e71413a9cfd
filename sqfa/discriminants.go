package sqfa

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
)

// Discriminants returns the leading directions of Fisher's criterion for the classes'
// shares, n×k with unit columns: between-class variance over within-class variance plus
// the noise. They are what the start LDA takes: k of them, or fewer where the classes or
// the dimensions are.
func Discriminants(stats *gaussian.Statistics, k int, noise float64) (*mat.Dense, error) {
	x, k, err := discriminants(stats, k, noise)
	if err != nil {
		return nil, fmt.Errorf("sqfa: %w", err)
	}
	return mat.NewDense(stats.Dim, k, x), nil
}

func discriminants(stats *gaussian.Statistics, k int, noise float64) ([]float64, int, error) {
	_, within, between, _ := stats.Pooled(nil)
	return gaussian.Discriminants(within, between, stats.Dim, min(k, stats.NumClasses()-1), noise)
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
