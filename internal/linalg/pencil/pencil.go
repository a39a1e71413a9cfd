// Package pencil implements the first step of the symmetric eigenproblem A w = λ C w: a linear map that turns C into
// the identity.
package pencil

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// Whitener returns W with W'CW = I for the n×n covariance C. It returns an error if C is not finite or not positive
// definite; linearfilters.Whitener, for columns of a table, leaves out dependent columns instead.
func Whitener(c []float64, n int) (*mat.Dense, error) {
	var e mat.EigenSym
	if vec.NotFinite(c) >= 0 {
		return nil, errors.New("the mean covariance has values that are not finite; check the data for extreme values")
	}
	if !e.Factorize(mat.NewSymDense(n, slices.Clone(c)), true) {
		return nil, errors.New("the eigenvalues of the mean covariance could not be computed; check the data for " +
			"extreme values")
	}
	values := e.Values(nil)
	if !(values[0] > 1e-12*values[n-1]) {
		return nil, fmt.Errorf("the mean covariance is not positive definite (its eigenvalues are between %.3g and "+
			"%.3g); drop a duplicated channel or the average reference, or shrink the covariances",
			values[0], values[n-1])
	}
	var w mat.Dense
	e.VectorsTo(&w)
	w.Apply(func(_, j int, v float64) float64 { return v / math.Sqrt(values[j]) }, &w)
	return &w, nil
}
