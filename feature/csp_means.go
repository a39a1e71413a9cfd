package feature

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/shrink"
	"rao/spd"
)

// classMeans returns the mean of the matrices of each class in the metric of the options, shrunk as the options
// require, and the share of each class. If an iterative mean does not reach its tolerance, the means are usable and the
// error contains a *rao.NotConvergedError.
func classMeans(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt CSPOptions) ([][]float64, []float64, error) {
	if len(classes) < 2 {
		return nil, nil, faults.Count(len(classes), 2, "common spatial patterns need at least two classes, not %d",
			len(classes))
	}
	shares := make([]float64, len(classes))
	if err := indices.CheckLabels("trial", labels, len(classes)); err != nil {
		return nil, nil, err
	}
	means := make([][]float64, len(classes))
	var unsettled error
	for l, of := range indices.Groups(labels, len(classes)) {
		if len(of) == 0 {
			return nil, nil, faults.Count(0, 1, "class %s has no trials; leave the class out", classes[l])
		}
		m, err := classMean(ctx, x, of, opt)
		if m == nil {
			return nil, nil, fmt.Errorf("class %s: %w", classes[l], err)
		}
		unsettled = errors.Join(unsettled, err)
		if opt.Shrinkage > 0 {
			shrink.Apply(m, x.Dim, opt.Shrinkage)
		}
		means[l] = m
		shares[l] = float64(len(of)) / float64(len(labels))
	}
	return means, shares, unsettled
}

func classMean(ctx context.Context, x *spd.Stack, of []int, opt CSPOptions) ([]float64, error) {
	n, scaled := x.Dim, x.Select(of)
	for i, k := range of {
		if opt.KeepPower {
			break
		}
		trace := 0.0
		for j := range n {
			trace += x.At(k)[j*n+j]
		}
		scale := float64(n) / trace
		if !vec.Positive(scale) {
			return nil, faults.Data("the covariance of trial %d has the trace %g; it must be positive and finite, so "+
				"leave the trial out", k, trace)
		}
		floats.Scale(scale, scaled.At(i))
	}
	mean, _, err := spd.Mean(ctx, scaled, nil, cmp.Or(opt.Metric, spd.Euclid), spd.MeanOptions{})
	if mean == nil || err != nil && !rao.HasModel(err) {
		return nil, err
	}
	return mean.RawSymmetric().Data, err
}
