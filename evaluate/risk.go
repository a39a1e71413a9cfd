package evaluate

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
)

// RiskCurve is the error rate of the accepted observations as a function of the accepted fraction, with the least
// confident observations rejected first.
//
//   - Coverage ([]float64) is the accepted fraction, ascending to 1.
//   - Risk ([]float64) is the error rate among the accepted observations at each coverage.
//   - Threshold ([]float64) is the smallest accepted confidence at each coverage.
//   - AURC (float64) is the area under the curve.
//
// The method At returns the risk and the threshold at the smallest coverage that is not below the given coverage.
type RiskCurve = scoring.RiskCurve

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
	return scoring.RiskCoverage(confidence, right)
}
