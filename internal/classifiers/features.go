package classifiers

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

// This file has the methods Features of classifiers in a tangent space. Features writes the tangent vectors of the
// matrices of x to dst, N×n(n+1)/2. An empty dst is resized. It returns an error if the matrices have another order;
// other errors name a matrix that is not positive definite.

// Features writes tangent vectors; see [TangentSpace.Vectors].
func (m *TangentLDA) Features(dst *mat.Dense, x *spd.Stack) error {
	return m.Tangent.Vectors(context.Background(), dst, x)
}

// Features writes tangent vectors; see [TangentSpace.Vectors].
func (m *TangentLogistic) Features(dst *mat.Dense, x *spd.Stack) error {
	return m.Tangent.Vectors(context.Background(), dst, x)
}

// Features writes tangent vectors; see [TangentSpace.Vectors].
func (m *TangentSVM) Features(dst *mat.Dense, x *spd.Stack) error {
	return m.Tangent.Vectors(context.Background(), dst, x)
}

// Features writes tangent vectors; see [TangentSpace.Vectors].
func (m *ENuc) Features(dst *mat.Dense, x *spd.Stack) error {
	return m.Tangent.Vectors(context.Background(), dst, x)
}
