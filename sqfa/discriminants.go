package sqfa

import (
	"rao/gaussian"
	"rao/internal/classstats"
)

// discriminantStart returns m filters to start from: discriminants, then principal components.
func discriminantStart(stats *gaussian.Statistics, m int, noise float64) ([]float64, error) {
	start, err := classstats.Discriminants(stats, m, noise)
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
