package evaluate

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
)

// Scores are the figures of merit of a classifier on labeled data.
//
//   - N (int) is the number of observations.
//   - Accuracy (float64) is the fraction of correct decisions.
//   - Kappa (float64) is Cohen's kappa.
//   - BalancedAccuracy (float64) is the mean recall of the classes that occur.
//   - LogLoss (float64) is the mean of -log p(true class) in nats.
//   - ECE (float64) is the expected calibration error with 15 bins.
//   - Confusion ([][]int) has a row per true class and a column per decision.
//   - Weight (float64) is the sum of the weights, and Weighted ([][]float64) the weighted confusion matrix. They are
//     set only for weighted observations.
//
// The method Measures(opt [MeasureOptions]) ([][Measure], error) returns the measures of the predictions that [Score]
// compared, except undefined ones, such as the AUC if only one class occurs. The intervals are percentiles over
// bootstrap resamples of the observations. If a measure is equal on all resamples, such as after perfect decisions, its
// interval is Wilson's if it is an accuracy or, with two classes, a recall or precision. Other measures then have no
// interval. Resamples that leave a measure undefined are skipped. If fewer than half of the resamples define a measure,
// it has no interval. Equal observations, options and seed give equal intervals on any number of processors. The cost
// is N log N per ranked class, and N per resample. It returns an error for options out of range, and if the predictions
// are not stored, as in the results of a search.
type Scores = scoring.Scores

// Score computes all scores from the true labels (0..c-1) and the N×c matrix of log-probabilities. The decision is
// the most probable class, or the first one in a tie. Weights of the observations are optional. They must be finite
// and not negative.
//
// It returns an error if there are no observations, a label is not a column, a row contains a NaN, or a weight is
// invalid. It panics with mat.ErrShape if the number of labels or weights differs from the number of rows.
func Score(truth []int, logPosterior *mat.Dense, weights ...float64) (*Scores, error) {
	return scoring.Score(truth, logPosterior, weights)
}

// MostProbable returns, for each row, the column of the largest value, or the first one in a tie.
func MostProbable(logPosterior *mat.Dense) []int {
	n, _ := logPosterior.Dims()
	out := make([]int, n)
	for i := range out {
		out[i] = floats.MaxIdx(logPosterior.RawRowView(i))
	}
	return out
}

// Accuracy returns the fraction of entries that are equal, or NaN if there are none. It panics with mat.ErrShape if
// the lengths differ.
func Accuracy(truth, predicted []int) float64 {
	if len(truth) != len(predicted) {
		panic(mat.ErrShape)
	}
	right := 0
	for i := range truth {
		if truth[i] == predicted[i] {
			right++
		}
	}
	return float64(right) / float64(len(truth))
}

// measure returns the measure named by opt.Score, or NaN if the predictions do not define it.
func measure(s *Scores, opt SearchOptions) float64 {
	list, err := s.Measures(MeasureOptions{First: opt.First, Seconds: opt.Seconds})
	if m := scoring.Named(list, opt.Score); err == nil && m != nil {
		return m.Value
	}
	return math.NaN()
}
