package scoring

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
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

	bins        []ReliabilityBin
	predictions *predictions // the predictions that were scored; nil in the scores of a [Scorer]
}

// ReliabilityBin describes the predictions of similar confidence, without regard to weights.
type ReliabilityBin struct {
	Confidence float64 // mean probability of the most probable class
	Accuracy   float64 // fraction of observations of this class
	Count      int     // number of predictions
}

// Reliability returns the bins of the calibration error.
func Reliability(s *Scores) []ReliabilityBin { return s.bins }

// predictions are true labels and the log-probabilities that a classifier assigned.
type predictions struct {
	truth        []int
	logPosterior *mat.Dense
	weights      []float64 // nil: all weights are 1
}

// Score is evaluate.Score for observations with weights, as in [Scorer.Add].
func Score(truth []int, logPosterior *mat.Dense, weights []float64) (*Scores, error) {
	n, c := logPosterior.Dims()
	all := NewScorer(c)
	if err := all.Add(truth, logPosterior, weights); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("there are no observations to evaluate")
	}
	s := all.Scores()
	s.predictions = &predictions{truth, logPosterior, weights}
	return s, nil
}

// TakePredictions returns the true labels and the log-probabilities that were scored, and drops them from the scores to
// free memory. It returns nil if there are none.
func TakePredictions(s *Scores) (truth []int, logPosterior *mat.Dense) {
	if s == nil || s.predictions == nil {
		return nil, nil
	}
	p := s.predictions
	s.predictions = nil
	return p.truth, p.logPosterior
}

// Measures returns the measures of the predictions; see evaluate.Scores.
func (s *Scores) Measures(opt MeasureOptions) ([]Measure, error) {
	if s.predictions == nil {
		return nil, fmt.Errorf("the scores do not contain the predictions that measures need; compute the scores " +
			"from predictions")
	}
	_, classes := s.predictions.logPosterior.Dims()
	m, err := NewMeasurer(classes, opt)
	if err != nil {
		return nil, err
	}
	if err := m.Add(s.predictions.truth, s.predictions.logPosterior, s.predictions.weights); err != nil {
		return nil, err
	}
	return m.Measures(), nil
}
