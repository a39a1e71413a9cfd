// Package argmax turns log-probabilities into labels: the methods Predict of the classifiers.
package argmax

import (
	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/spd"
)

// Rows returns the most probable class of every row of x, the first of equals.
func Rows(logPosterior func(dst *mat.Dense, x mat.Matrix), x mat.Matrix) []int {
	if n, _ := x.Dims(); n == 0 {
		return []int{}
	}
	var logp mat.Dense
	logPosterior(&logp, x)
	return evaluate.MostProbable(&logp)
}

// Matrices returns the most probable class of every matrix of x, the first of equals.
func Matrices(logPosterior func(dst *mat.Dense, x *spd.Stack) error, x *spd.Stack) ([]int, error) {
	if x != nil && x.Count == 0 {
		return []int{}, nil
	}
	var logp mat.Dense
	if err := logPosterior(&logp, x); err != nil {
		return nil, err
	}
	return evaluate.MostProbable(&logp), nil
}
