package eeg

import (
	"slices"

	"rao/internal/covstream"
	"rao/internal/voltage"
	"rao/recipe"
)

// recipe returns a description of how CutTrials computes observations from trials of the recording.
func (o TrialOptions) recipe(r *Recording) *recipe.Recipe {
	s := &recipe.Signal{Rate: r.Rate, Channels: slices.Clone(r.Channels), Reference: r.Reference,
		Unit: voltage.Common(r.Units), SignalOptions: covstream.Canonical(o.SignalOptions)}
	if r.prepared != nil {
		covstream.Describe(*r.prepared, s, r.recorded())
	}
	s.Causal = o.Causal && s.Filtered()
	s.Window = o.samples(r.Rate) / r.Rate
	if b := o.Baseline; b != [2]float64{} {
		s.Baseline = b[:]
	}
	return &recipe.Recipe{Signal: s}
}

// recorded returns the sampling rate of the recording before any preparation.
func (r *Recording) recorded() float64 {
	if p, ok := r.reader.(*preparing); ok {
		return p.from.Rate
	}
	return r.Rate
}
