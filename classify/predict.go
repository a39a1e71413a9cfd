package classify

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/spd"
)

// Predict returns the most probable class of every row, the first of equals.
func (m *QDA) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every row, the first of equals.
func (m *LDA) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every row, the first of equals.
func (m *KNN) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every row, the first of equals.
func (m *Mixture) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every row, the first of equals.
func (m *Logistic) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every row, the first of equals.
func (m *SVM) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every row, the first of equals.
func (m *Parzen) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every matrix, the first of equals.
func (m *MDM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every matrix, the first of equals.
func (m *MatrixKNN) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every matrix, the first of equals.
func (m *MatrixSVM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every matrix, the first of equals.
func (m *TangentLDA) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every matrix, the first of equals.
func (m *TangentLogistic) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every matrix, the first of equals.
func (m *TangentSVM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of every matrix, the first of equals.
func (m *ENuc) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}
