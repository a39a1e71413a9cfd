package classifiers

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/spd"
)

// Predict returns the most probable class of each row; the first class wins ties.
func (m *SVM) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each row; the first class wins ties.
func (m *Parzen) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *MatrixKNN) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *MatrixSVM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *TangentLDA) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *TangentLogistic) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *TangentSVM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *ENuc) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}
