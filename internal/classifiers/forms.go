package classifiers

import (
	"context"
	"rao/internal/argmax"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/spd"

	"gonum.org/v1/gonum/mat"
)

// TangentScores are scores that are linear in tangent vectors v: (Coefficients v + Intercepts)/T.
type TangentScores struct {
	Space        *TangentSpace
	Coefficients *mat.Dense // c×p
	Intercepts   []float64
	Temperature  float64 // T, the divisor of the scores
}

// TangentLinear is what the linear classifiers of tangent vectors share. The exported fields determine the scores.
type TangentLinear struct {
	Classes      []string      `json:"classes"`      // c class names
	Tangent      *TangentSpace `json:"tangent"`      // the tangent space of the vectors
	Coefficients *mat.Dense    `json:"coefficients"` // c×p; a row is the upper triangle of a symmetric matrix by rows, off-diagonal × √2
	Intercepts   []float64     `json:"intercepts"`   // one per class
}

// Dims returns the order of the matrices, and the number of classes.
func (m *TangentLinear) Dims() (in, classes int) { return m.Tangent.N, len(m.Classes) }

// Features writes the tangent vectors of the matrices; see [TangentSpace.Vectors].
func (m *TangentLinear) Features(dst *mat.Dense, x *spd.Stack) error {
	return m.Tangent.Vectors(context.Background(), dst, x)
}

// TangentScores returns the coefficients and intercepts of the classes.
func (m *TangentLinear) TangentScores() TangentScores {
	return TangentScores{m.Tangent, m.Coefficients, m.Intercepts, 1}
}

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst. An empty dst is resized; another shape
// panics with mat.ErrShape. Matrices of another order give a *rao.ShapeError. Errors about a matrix name it. The cost
// is one eigendecomposition per matrix, in parallel.
func (m *TangentLinear) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	return linearPosterior(ctx, dst, m.TangentScores(), x)
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *TangentLinear) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

func (m *TangentLinear) check() error {
	if err := faults.OneClass(len(m.Classes)); err != nil {
		return err
	}
	if err := m.Tangent.Validate(); err != nil {
		return err
	}
	if err := common.CheckMatrix("coefficients", m.Coefficients, len(m.Classes), m.Tangent.dim()); err != nil {
		return err
	}
	return common.CheckFinite("intercepts", m.Intercepts, len(m.Classes), "class", "classes")
}

// TangentScores returns the coefficients, the intercepts and the temperature of the classes.
func (m *ENuc) TangentScores() TangentScores {
	return TangentScores{m.Tangent, m.Coefficients, m.Intercepts, m.Temperature}
}
