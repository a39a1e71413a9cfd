package linearfilters

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// WhitenerOfAll returns W with W'CW = I for the n×n mean covariance C, the first step of the symmetric eigenproblem
// A w = λ C w. It returns an error if C is not finite or not positive definite; [Whitener], for columns of a table,
// leaves out dependent columns instead.
func WhitenerOfAll(c []float64, n int) (*mat.Dense, error) {
	var e mat.EigenSym
	if vec.NotFinite(c) >= 0 {
		return nil, faults.Data("the mean covariance has values that are not finite; check the data for extreme values")
	}
	if !e.Factorize(mat.NewSymDense(n, slices.Clone(c)), true) {
		return nil, faults.Data("the eigenvalues of the mean covariance could not be computed; check the data for " +
			"extreme values")
	}
	values := e.Values(nil)
	if !(values[0] > 1e-12*values[n-1]) {
		return nil, faults.Also(fmt.Errorf("the mean covariance is not positive definite (its eigenvalues are between "+
			"%.3g and %.3g); drop a duplicated channel or the average reference, or shrink the covariances", values[0],
			values[n-1]), &spd.MatrixError{Role: "mean covariance", Index: -1,
			Problem: spd.ProblemNotPositiveDefinite, Value: values[0], Largest: values[n-1]})
	}
	var w mat.Dense
	e.VectorsTo(&w)
	w.Apply(func(_, j int, v float64) float64 { return v / math.Sqrt(values[j]) }, &w)
	return &w, nil
}
