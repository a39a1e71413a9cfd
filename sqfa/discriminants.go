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
	x, err := stats.Discriminants(k, noise)
	if err != nil {
		return nil, fmt.Errorf("sqfa: %w", err)
	}
	return x, nil
}

// discriminantStart returns m filters to start from: discriminants, then principal components.
func discriminantStart(stats *gaussian.Statistics, m int, noise float64) ([]float64, error) {
	start, err := stats.Discriminants(m, noise)
	if err != nil {
		return nil, err
	}
	x, k := values(start), start.RawMatrix().Cols
	if k == m {
		return x, nil
	}
	v, _, err := principal(stats, m-k)
	if err != nil {
		return nil, err
	}
	return joinColumns(x, k, v, m-k, stats.Dim), nil
}
