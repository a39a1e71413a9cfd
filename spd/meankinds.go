package spd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
)

// MeanKinds are the kinds of means that [MeanOfKind] accepts.
var MeanKinds = []string{"mean", "median", "power", "masked", "joint"}

// MeanOfKind returns the mean of the given kind: [Mean] (also for an empty name), [Median], [PowerMean] with an
// exponent, [MaskedMean] with missing channels as NaN, or [JointMean]. It returns an error if the metric has no mean of
// that kind. It also returns the errors of these functions.
func MeanOfKind(ctx context.Context, x *Stack, weights []float64, kind string, metric Metric, exponent float64,
	opt MeanOptions) (*mat.SymDense, rao.Report, error) {
	switch kind {
	case "masked", "joint":
		if g, err := metric.geometry(); err != nil || !g.partial {
			return nil, rao.Report{}, cmp.Or(err,
				fmt.Errorf("the mean %q works only with the metric riemann, not %s", kind, metric))
		}
	}
	switch kind {
	case "", "mean":
		return Mean(ctx, x, weights, metric, opt)
	case "median":
		return Median(ctx, x, weights, metric, opt)
	case "power":
		return PowerMean(ctx, x, weights, metric, exponent, opt)
	case "masked":
		seen, err := SeenChannels(x)
		if err != nil {
			return nil, rao.Report{}, err
		}
		return MaskedMean(ctx, x, seen, weights, opt)
	case "joint":
		return JointMean(ctx, x, weights, opt)
	}
	return nil, rao.Report{}, fmt.Errorf("there is no mean %q; choose from %s", kind, strings.Join(MeanKinds, ", "))
}
