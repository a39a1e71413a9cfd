package classify

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/indices"
	"rao/spd"
)

// meanOf returns the mean of the matrices of x with the given indices. weights has one weight for each matrix of x, or
// is nil. An error names the matrix by its index in x.
func meanOf(ctx context.Context, x *spd.Stack, members []int, weights []float64, metric spd.Metric,
	opt spd.MeanOptions) (*mat.SymDense, rao.Report, error) {
	mean, rep, err := spd.Mean(ctx, x.Select(members), indices.Pick(weights, members), metric, opt)
	return mean, rep, indices.InError(err, func(e *spd.MatrixError) {
		if e.Index >= 0 {
			e.Index = members[e.Index]
		}
	})
}
