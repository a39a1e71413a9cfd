package feature

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rao"
	"rao/spd"
)

// classMeans returns the mean of each class's matrices in the metric of the options,
// shrunk as they say, and the share of each class. An iterative mean short of its tolerance
// is an error beside usable means.
func classMeans(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt CSPOptions) ([][]float64, []float64, error) {
	if len(classes) < 2 {
		return nil, nil, fmt.Errorf("common spatial patterns need two classes or more, not %d", len(classes))
	}
	shares := make([]float64, len(classes))
	members := make([][]int, len(classes))
	for k, l := range labels {
		if l < 0 || l >= len(classes) {
			return nil, nil, fmt.Errorf("trial %d has label %d, outside 0 to %d", k, l, len(classes)-1)
		}
		members[l] = append(members[l], k)
	}
	means := make([][]float64, len(classes))
	var unsettled error
	for l, of := range members {
		if len(of) == 0 {
			return nil, nil, fmt.Errorf("class %s has no trials", classes[l])
		}
		m, err := classMean(ctx, x, of, opt)
		if m == nil {
			return nil, nil, fmt.Errorf("class %s: %w", classes[l], err)
		}
		unsettled = errors.Join(unsettled, err)
		shrinkToIdentity(m, x.Dim, opt.Shrinkage)
		means[l] = m
		shares[l] = float64(len(of)) / float64(len(labels))
	}
	return means, shares, unsettled
}

// classMean is the mean of the matrices with the indices of.
func classMean(ctx context.Context, x *spd.Stack, of []int, opt CSPOptions) ([]float64, error) {
	n := x.Dim
	scales := make([]float64, len(of))
	for i, k := range of {
		scales[i] = 1
		if !opt.KeepPower {
			trace := 0.0
			for j := range n {
				trace += x.At(k)[j*n+j]
			}
			if scales[i] = float64(n) / trace; !(scales[i] > 0) || math.IsInf(scales[i], 0) {
				return nil, fmt.Errorf("the covariance of trial %d has no positive trace", k)
			}
		}
	}
	if opt.Metric == "" || opt.Metric == spd.Euclid {
		mean := make([]float64, n*n)
		for i, k := range of {
			for j, v := range x.At(k) {
				mean[j] += scales[i] * v
			}
		}
		for j := range mean {
			mean[j] /= float64(len(of))
		}
		return mean, nil
	}
	scaled := x.Select(of)
	for i, s := range scales {
		for j := range scaled.At(i) {
			scaled.At(i)[j] *= s
		}
	}
	mean, _, err := spd.Mean(ctx, scaled, nil, opt.Metric, spd.MeanOptions{})
	if mean == nil || err != nil && !rao.HasModel(err) {
		return nil, err
	}
	out := make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			out = append(out, mean.At(i, j))
		}
	}
	return out, err
}

// shrinkToIdentity makes m (1−a)·m + a·tr(m)/n·I.
func shrinkToIdentity(m []float64, n int, a float64) {
	if a == 0 {
		return
	}
	trace := 0.0
	for i := range n {
		trace += m[i*n+i]
	}
	for i := range m {
		m[i] *= 1 - a
	}
	for i := range n {
		m[i*n+i] += a * trace / float64(n)
	}
}
