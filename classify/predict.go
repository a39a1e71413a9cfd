package classify

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/spd"
)

// Predict returns the most probable class of each row; ties go to the first.
func (m *QDA) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each row; ties go to the first.
func (m *LDA) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each row; ties go to the first.
func (m *KNN) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each row; ties go to the first.
func (m *Mixture) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each row; ties go to the first.
func (m *Logistic) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the most probable class of each matrix; ties go to the first.
func (m *MDM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}
