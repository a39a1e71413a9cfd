package classify

import (
	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/spd"
)

// predictRows returns the most probable class of every row of x.
func predictRows(posterior func(dst *mat.Dense, x mat.Matrix), x mat.Matrix) []int {
	if n, _ := x.Dims(); n == 0 {
		return []int{}
	}
	var logp mat.Dense
	posterior(&logp, x)
	return evaluate.MostProbable(&logp)
}

// predictMatrices returns the most probable class of every matrix of x.
func predictMatrices(posterior func(dst *mat.Dense, x *spd.Stack) error, x *spd.Stack) ([]int, error) {
	if x.Count == 0 {
		return []int{}, nil
	}
	var logp mat.Dense
	if err := posterior(&logp, x); err != nil {
		return nil, err
	}
	return evaluate.MostProbable(&logp), nil
}

// Predict returns the most probable class of every row, the first of equals.
func (m *QDA) Predict(x mat.Matrix) []int { return predictRows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *LDA) Predict(x mat.Matrix) []int { return predictRows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *KNN) Predict(x mat.Matrix) []int { return predictRows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *Mixture) Predict(x mat.Matrix) []int { return predictRows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *Logistic) Predict(x mat.Matrix) []int { return predictRows(m.LogPosterior, x) }

// Predict returns the most probable class of every row, the first of equals.
func (m *SVM) Predict(x mat.Matrix) []int { return predictRows(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *MDM) Predict(x *spd.Stack) ([]int, error) { return predictMatrices(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *MatrixKNN) Predict(x *spd.Stack) ([]int, error) { return predictMatrices(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *MatrixSVM) Predict(x *spd.Stack) ([]int, error) { return predictMatrices(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *TangentLDA) Predict(x *spd.Stack) ([]int, error) { return predictMatrices(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *TangentLogistic) Predict(x *spd.Stack) ([]int, error) {
	return predictMatrices(m.LogPosterior, x)
}

// Predict returns the most probable class of every matrix, the first of equals.
func (m *TangentSVM) Predict(x *spd.Stack) ([]int, error) { return predictMatrices(m.LogPosterior, x) }

// Predict returns the most probable class of every matrix, the first of equals.
func (m *ENuc) Predict(x *spd.Stack) ([]int, error) { return predictMatrices(m.LogPosterior, x) }
