package classifiers

import (
	"gonum.org/v1/gonum/mat"
)

// TangentScores are scores that are linear in tangent vectors v: (Coefficients v + Intercepts)/T.
type TangentScores struct {
	Space        *TangentSpace
	Coefficients *mat.Dense // c×p
	Intercepts   []float64
	Temperature  float64 // T, the divisor of the scores
}

// TangentScores returns the coefficients and intercepts of the classes.
func (m *TangentLDA) TangentScores() TangentScores {
	return TangentScores{m.Tangent, m.Coefficients, m.Intercepts, 1}
}

// TangentScores returns the coefficients and intercepts of the classes.
func (m *TangentLogistic) TangentScores() TangentScores {
	return TangentScores{m.Tangent, m.Coefficients, m.Intercepts, 1}
}

// TangentScores returns the coefficients, the intercepts and the temperature of the classes.
func (m *ENuc) TangentScores() TangentScores {
	return TangentScores{m.Tangent, m.Coefficients, m.Intercepts, m.Temperature}
}
