package eeg

import (
	"gonum.org/v1/gonum/mat"

	"rao/recipe"
)

// correlate replaces the signals by their canonical correlations with oscillations, one column per frequency
// (see [Correlations]).
func (t *Trials) correlate(opt recipe.SignalOptions) error {
	s := t.Recipe.Signal
	_, width := t.Signals.Dims()
	rows := len(s.Names())
	c := correlations{Frequencies: opt.Frequencies, Harmonics: opt.Harmonics, Rate: s.Rate,
		Channels: rows, Samples: width / rows}
	if err := c.Validate(); err != nil {
		return err
	}
	var z mat.Dense
	if err := c.Features(&z, t.Signals); err != nil {
		return err
	}
	t.Signals = &z
	return nil
}
