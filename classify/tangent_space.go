package classify

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

// FitTangentSpace places a tangent space at the Riemannian mean of x, for metric
// spd.Riemann, or takes matrix logarithms, for spd.LogEuclid, which need no mean. Other
// metrics are an error. A rao.NotConvergedError comes beside a usable space when the mean
// ended early.
func FitTangentSpace(ctx context.Context, x *spd.Stack, metric spd.Metric, opt spd.MeanOptions) (*TangentSpace, error) {
	return fitTangent(ctx, x, metric, opt)
}

// Dims returns the order n of the matrices and the length n(n+1)/2 of their vectors.
func (t *TangentSpace) Dims() (n, vector int) { return t.N, t.dim() }

// Vectors writes to row k of dst the vector of matrix k of x; an empty dst is resized. The
// error names a matrix that is not positive definite or is of another order.
func (t *TangentSpace) Vectors(dst *mat.Dense, x *spd.Stack) error {
	if err := checkOrder("tangent space", x, t.N); err != nil {
		return err
	}
	return t.vectors(dst, x)
}

// Validate returns an error if the fields contradict each other.
func (t *TangentSpace) Validate() error { return t.validate() }
