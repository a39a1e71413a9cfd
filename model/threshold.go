package model

import (
	"fmt"
	"math"
)

// WithThreshold returns a copy of the model that chooses the last of its two classes if its probability is at least the
// threshold. 0 means the more probable class. It returns an error if the threshold is not between 0 and 1, or if it is
// above 0 and the model does not have two classes and a classifier. Probabilities, and rejection by the largest
// probability, do not change.
func (m *Model) WithThreshold(threshold float64) (*Model, error) {
	out := *m
	out.Threshold = threshold
	return &out, out.checkThreshold()
}

func (m *Model) checkThreshold() error {
	switch {
	case !(m.Threshold >= 0 && m.Threshold <= 1):
		return fmt.Errorf("the decision threshold is %v; it must be between 0 and 1", m.Threshold)
	case m.Threshold > 0 && len(m.Classes) != 2:
		return fmt.Errorf("a decision threshold works only with two classes, but the model has %d", len(m.Classes))
	case m.Threshold > 0 && m.Classifier == nil:
		return fmt.Errorf("a decision threshold needs a classifier, but the %s model has none; fit it again with one",
			m.Method)
	}
	return nil
}

// decided returns the chosen class; best is the most probable one.
func (m *Model) decided(logp []float64, best int) int {
	switch {
	case m.Threshold == 0:
		return best
	case math.Exp(logp[1]) >= m.Threshold:
		return 1
	}
	return 0
}
