package evaluate

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
)

// RiskCurve is the error rate of the accepted observations as a function of the accepted fraction, with the least
// confident observations rejected first.
type RiskCurve struct {
	Coverage  []float64 `json:"coverage"`  // accepted fraction, ascending to 1
	Risk      []float64 `json:"risk"`      // error rate among the accepted observations
	Threshold []float64 `json:"threshold"` // smallest accepted confidence
	AURC      float64   `json:"aurc"`      // area under the risk-coverage curve
}

// PosteriorRisk returns the risk-coverage curve (El-Yaniv and Wiener 2010) of the N×c log-probabilities. The
// confidence of a row is its largest probability. It panics with mat.ErrShape if the number of labels differs from
// the number of rows.
func PosteriorRisk(truth []int, logPosterior *mat.Dense) *RiskCurve {
	n, _ := logPosterior.Dims()
	if len(truth) != n {
		panic(mat.ErrShape)
	}
	confidence, right := make([]float64, n), make([]bool, n)
	for i, l := range truth {
		row := logPosterior.RawRowView(i)
		best := floats.MaxIdx(row)
		confidence[i], right[i] = math.Exp(row[best]), best == l
	}
	return (*RiskCurve)(scoring.RiskCoverage(confidence, right))
}

// At returns the risk and the threshold at the smallest coverage on the curve that is not below the given coverage, or
// NaN if the curve is empty.
func (r *RiskCurve) At(coverage float64) (risk, threshold float64) {
	return (*scoring.RiskCurve)(r).At(coverage)
}
