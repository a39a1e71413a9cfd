// Package spdmeans chooses the mean of SPD matrices by its name, for the tool and the Python package.
package spdmeans

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/spd"
)

// Kinds are the kinds of means that [Of] accepts.
var Kinds = []string{"mean", "median", "power", "masked", "joint"}

// Of returns the mean of the given kind: [spd.Mean] (also for an empty name), [spd.Median], [spd.PowerMean] with an
// exponent, [spd.MaskedMean] with missing channels as NaN, or [spd.JointMean]. It returns an error if the metric has no
// mean of that kind. It also returns the errors of these functions.
func Of(ctx context.Context, x *spd.Stack, weights []float64, kind string, metric spd.Metric, exponent float64,
	opt spd.MeanOptions) (*mat.SymDense, rao.Report, error) {
	switch kind {
	case "masked", "joint":
		if m, err := spd.ParseMetric(string(metric)); err != nil || m != spd.Riemann {
			return nil, rao.Report{}, cmp.Or(err,
				fmt.Errorf("the mean %q works only with the metric riemann, not %s", kind, metric))
		}
	}
	switch kind {
	case "", "mean":
		return spd.Mean(ctx, x, weights, metric, opt)
	case "median":
		return spd.Median(ctx, x, weights, metric, opt)
	case "power":
		return spd.PowerMean(ctx, x, weights, metric, exponent, opt)
	case "masked":
		seen, err := spd.SeenChannels(x)
		if err != nil {
			return nil, rao.Report{}, err
		}
		return spd.MaskedMean(ctx, x, seen, weights, opt)
	case "joint":
		return spd.JointMean(ctx, x, weights, opt)
	}
	return nil, rao.Report{}, fmt.Errorf("there is no mean %q; choose from %s", kind, strings.Join(Kinds, ", "))
}

// CheckPower returns an error unless [spd.PowerMean] accepts the metric with the exponent p.
func CheckPower(metric spd.Metric, p float64) error {
	one := spd.StackOf(1, 1, []float64{1})
	_, _, err := spd.PowerMean(context.Background(), one, nil, metric, p, spd.MeanOptions{})
	return err
}
