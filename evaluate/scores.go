package evaluate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
)

// Scores are the figures of merit of a classifier on labeled data. The JSON names appear in the tool's output, so
// they must not change.
type Scores struct {
	N                int     `json:"n"`                 // observations
	Accuracy         float64 `json:"accuracy"`          // fraction of correct decisions
	Kappa            float64 `json:"kappa"`             // Cohen's kappa
	BalancedAccuracy float64 `json:"balanced_accuracy"` // mean recall of the classes that occur
	LogLoss          float64 `json:"log_loss"`          // mean -log p(true class), nats
	ECE              float64 `json:"ece"`               // expected calibration error, 15 bins
	Confusion        [][]int `json:"confusion"`         // rows: true class, columns: decision

	// Weight and Weighted are the sum of the weights and the weighted confusion matrix. They are set only for weighted
	// observations.
	Weight   float64     `json:"weight,omitempty"`
	Weighted [][]float64 `json:"weighted_confusion,omitempty"`

	predictions *predictions // the predictions that were scored; a search drops them once they are used
}

// predictions are true labels and the log-probabilities that a classifier assigned.
type predictions struct {
	truth        []int
	logPosterior *mat.Dense
	weights      []float64 // nil: all weights are 1
}

// Score computes all scores from the true labels (0..c-1) and the N×c matrix of log-probabilities. The decision is
// the most probable class, or the first one in a tie. Weights of the observations are optional. They must be finite
// and not negative.
//
// It returns an error if there are no observations, a label is not a column, or a row contains a NaN. It panics with
// mat.ErrShape if the number of labels or weights differs from the number of rows.
func Score(truth []int, logPosterior *mat.Dense, weights ...float64) (*Scores, error) {
	n, c := logPosterior.Dims()
	all := scoring.NewScorer(c)
	if err := all.Add(truth, logPosterior, weights); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("there are no observations to evaluate")
	}
	s := scoresOf(all.Scores())
	s.predictions = &predictions{truth, logPosterior, weights}
	return s, nil
}

func scoresOf(s *scoring.Scores) *Scores {
	return &Scores{N: s.N, Accuracy: s.Accuracy, Kappa: s.Kappa, BalancedAccuracy: s.BalancedAccuracy,
		LogLoss: s.LogLoss, ECE: s.ECE, Confusion: s.Confusion, Weight: s.Weight, Weighted: s.Weighted}
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

// Measures returns the measures of the predictions that [Score] compared, except undefined ones, such as the AUC if
// only one class occurs. The intervals are percentiles over bootstrap resamples of the observations. Resamples that
// leave a measure undefined are skipped; if fewer than half of them define it, it has no interval. Equal observations,
// options and seed give equal intervals on any number of processors. The cost is N log N per ranked class, and N per
// resample. It returns an error for options out of range, and if the predictions are not stored, as in the results of a
// search.
func (s *Scores) Measures(opt MeasureOptions) ([]Measure, error) {
	if s.predictions == nil {
		return nil, fmt.Errorf("the scores do not contain their predictions; compute them with Score")
	}
	_, classes := s.predictions.logPosterior.Dims()
	m, err := scoring.NewMeasurer(classes, opt)
	if err != nil {
		return nil, err
	}
	if err := m.Add(s.predictions.truth, s.predictions.logPosterior, s.predictions.weights); err != nil {
		return nil, err
	}
	return m.Measures(), nil
}

// measure returns the measure named by opt.Score, or NaN if the predictions do not define it.
func (s *Scores) measure(opt SearchOptions) float64 {
	list, err := s.Measures(MeasureOptions{First: opt.First, Seconds: opt.Seconds})
	if err == nil {
		for _, m := range list {
			if m.Name == opt.Score {
				return m.Value
			}
		}
	}
	return math.NaN()
}
