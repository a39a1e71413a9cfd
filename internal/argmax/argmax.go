// Package argmax returns the class with the largest log-probability, for the Predict methods of classifiers.
package argmax

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/spd"
)

// Rows returns the most probable class of every row of x. The first class wins a tie.
func Rows(ctx context.Context, logPosterior func(context.Context, *mat.Dense, mat.Matrix) error,
	x mat.Matrix) ([]int, error) {
	if n, _ := x.Dims(); n == 0 {
		return []int{}, nil
	}
	return ofEach(ctx, logPosterior, x)
}

// Matrices returns the most probable class of every matrix of x. The first class wins a tie.
func Matrices(ctx context.Context, logPosterior func(context.Context, *mat.Dense, *spd.Stack) error,
	x *spd.Stack) ([]int, error) {
	if x != nil && x.Count == 0 {
		return []int{}, nil
	}
	return ofEach(ctx, logPosterior, x)
}

func ofEach[X any](ctx context.Context, logPosterior func(context.Context, *mat.Dense, X) error, x X) ([]int, error) {
	var logp mat.Dense
	if err := logPosterior(ctx, &logp, x); err != nil {
		return nil, err
	}
	return evaluate.MostProbable(&logp), nil
}
