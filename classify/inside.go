package classify

import (
	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

// Classifiers of matrices that work on something else inside say what it is: Features
// writes the tangent vectors of the matrices of x to dst, N×n(n+1)/2, which is resized
// when empty; Filter returns the matrices that the means are compared with. Errors name
// a matrix that is not positive definite or of another order.

// Features writes tangent vectors; see [TangentSpace.Vectors].
func (m *TangentLDA) Features(dst *mat.Dense, x *spd.Stack) error { return m.Tangent.Vectors(dst, x) }

// Features writes tangent vectors; see [TangentSpace.Vectors].
func (m *TangentLogistic) Features(dst *mat.Dense, x *spd.Stack) error {
	return m.Tangent.Vectors(dst, x)
}

// Features writes tangent vectors; see [TangentSpace.Vectors].
func (m *TangentSVM) Features(dst *mat.Dense, x *spd.Stack) error { return m.Tangent.Vectors(dst, x) }

// Features writes tangent vectors; see [TangentSpace.Vectors].
func (m *ENuc) Features(dst *mat.Dense, x *spd.Stack) error { return m.Tangent.Vectors(dst, x) }

// Features writes tangent vectors in the sub-manifold.
func (m *TSSM) Features(dst *mat.Dense, x *spd.Stack) error {
	if err := checkOrder("tssm", x, m.Dim()); err != nil {
		return err
	}
	if m.SVM != nil {
		return m.SVM.Features(dst, m.project(x))
	}
	return m.LDA.Features(dst, m.project(x))
}

// Filter returns the matrices after the geodesic filter.
func (m *FgMDM) Filter(x *spd.Stack) (*spd.Stack, error) {
	if err := checkOrder("fgmdm", x, m.Dim()); err != nil {
		return nil, err
	}
	return m.filter(x)
}
