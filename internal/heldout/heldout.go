// Package heldout splits rows into folds with their class statistics, and scores the decisions of Gaussian classifiers
// on held-out rows.
package heldout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/internal/linalg/vec"
)

// temperatureRows is the number of rows that are enough for fitting the temperature, which is a single number. The fit
// uses every n-th row, with n as large as possible, and therefore fewer than twice as many rows.
const temperatureRows = 100

// Losses returns the log losses at the temperature that fits the labels best, and the share of correct decisions. Real
// classes are not exactly Gaussian, so the classifier is overconfident. The temperature corrects this before losses are
// compared. The scores are log-probabilities up to a constant per row, and at most 0; see [FromTop].
func Losses(labels []int, scores *mat.Dense) (losses []float64, accuracy float64, err error) {
	n, c := scores.Dims()
	some, truth := scores, labels
	if step := n / temperatureRows; step > 1 {
		some, truth = mat.NewDense(n/step, c, nil), make([]int, n/step)
		for i := range truth {
			some.SetRow(i, scores.RawRowView(i*step))
			truth[i] = labels[i*step]
		}
	}
	t, err := evaluate.Temperature(truth, some)
	if err != nil {
		return nil, 0, err
	}
	const most = 52 * math.Ln2 // the largest loss, for a true class with probability zero
	losses, scaled := make([]float64, n), make([]float64, c)
	for i, y := range labels {
		for k, v := range scores.RawRowView(i) {
			scaled[k] = max(v, -1000) / t
		}
		losses[i] = min(vec.LogSumExp(scaled)-scaled[y], most)
	}
	return losses, evaluate.Accuracy(labels, evaluate.MostProbable(scores)), nil
}

// FromTop subtracts the largest score from all scores. If no score is finite, it sets all scores to the same value.
func FromTop(scores []float64) {
	top := slices.Max(scores)
	for i := range scores {
		if scores[i] -= top; !(top >= -math.MaxFloat64) {
			scores[i] = 0
		}
	}
}
