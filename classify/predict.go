package classify

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/spd"
)

// Predict returns the most probable class of every row, the first of equals.
func (m *QDA) Predict(x mat.Matrix) []int { return argmax.Rows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *LDA) Predict(x mat.Matrix) []int { return argmax.Rows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *KNN) Predict(x mat.Matrix) []int { return argmax.Rows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *Mixture) Predict(x mat.Matrix) []int { return argmax.Rows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *Logistic) Predict(x mat.Matrix) []int { return argmax.Rows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *SVM) Predict(x mat.Matrix) []int { return argmax.Rows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *Parzen) Predict(x mat.Matrix) []int { return argmax.Rows(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *MDM) Predict(x *spd.Stack) ([]int, error) { return argmax.Matrices(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *MatrixKNN) Predict(x *spd.Stack) ([]int, error) { return argmax.Matrices(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *MatrixSVM) Predict(x *spd.Stack) ([]int, error) { return argmax.Matrices(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *TangentLDA) Predict(x *spd.Stack) ([]int, error) { return argmax.Matrices(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *TangentLogistic) Predict(x *spd.Stack) ([]int, error) {
	return argmax.Matrices(m.LogPosterior, x)
}

// Predict returns the most probable class of every matrix, the first of equals.
func (m *TangentSVM) Predict(x *spd.Stack) ([]int, error) { return argmax.Matrices(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *ENuc) Predict(x *spd.Stack) ([]int, error) { return argmax.Matrices(m.LogPosterior, x) }
