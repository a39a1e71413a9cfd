package classifiers

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/spd"
)

// Predict returns the most probable class of each row; ties go to the first.
func (m *SVM) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each row; ties go to the first.
func (m *Parzen) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; ties go to the first.
func (m *MatrixKNN) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; ties go to the first.
func (m *MatrixSVM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; ties go to the first.
func (m *TangentLDA) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; ties go to the first.
func (m *TangentLogistic) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; ties go to the first.
func (m *TangentSVM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; ties go to the first.
func (m *ENuc) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}
