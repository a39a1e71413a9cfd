package classify

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/spd"
)

// Predict returns the index of the most probable class of each row. In a tie, the first class wins. It returns the same
// errors as LogPosterior.
func (m *QDA) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the index of the most probable class of each row. In a tie, the first class wins. It returns the same
// errors as LogPosterior.
func (m *LDA) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the index of the most probable class of each row. In a tie, the first class wins. It returns the same
// errors as LogPosterior.
func (m *KNN) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the index of the most probable class of each row. In a tie, the first class wins. It returns the same
// errors as LogPosterior.
func (m *Mixture) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the index of the most probable class of each row. In a tie, the first class wins. It returns the same
// errors as LogPosterior.
func (m *Logistic) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the index of the most probable class of each matrix. In a tie, the first class wins. It returns the
// same errors as LogPosterior.
func (m *MDM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}
