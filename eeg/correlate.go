package eeg

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/recipe"
)

// Correlate replaces the signals by their canonical correlations with oscillations at the
// given frequencies in hertz and their harmonics, the first included: a column a frequency
// (see [Correlations]). Trials of matrices, and frequencies that the rate does
// not bear, are errors.
func (t *Trials) Correlate(frequencies []float64, harmonics int) error {
	if t.Signals == nil {
		return errors.New("correlations are of signals; cut the trials with the option Signals")
	}
	s := t.Recipe.Signal
	_, width := t.Signals.Dims()
	rows := len(s.Names())
	c := Correlations{Frequencies: slices.Clone(frequencies), Harmonics: harmonics, Rate: s.Rate,
		Channels: rows, Samples: width / rows}
	if err := c.Validate(); err != nil {
		return err
	}
	var z mat.Dense
	if err := c.Features(&z, t.Signals); err != nil {
		return err
	}
	t.Signals = &z
	s.Estimator, s.Frequencies, s.Harmonics = recipe.Correlations, c.Frequencies, c.Harmonics
	return nil
}
