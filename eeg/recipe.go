package eeg

import (
	"fmt"
	"math"
	"slices"

	"rao/recipe"
	"rao/spd"
)

// Recipe says how CutTrials makes matrices of trials of the recording.
func (o TrialOptions) Recipe(r *Recording) *recipe.Recipe {
	s := signalRecipe(r.Channels, r.Rate, o.Bands, o.Order, o.Combine, o.Covariance)
	s.Delays = slices.Clone(o.Delays)
	o.Spectrum.describe(s)
	s.Reference, s.Unit = r.Reference, r.Unit()
	if r.prepared != nil {
		r.prepared.describe(s, r.recorded())
	}
	s.Causal = o.Causal && s.Filtered()
	s.Window = math.Round((o.Stop-o.Start)*r.Rate) / r.Rate
	if o.Signals {
		s.Estimator = recipe.NoEstimator
	}
	if b := o.Baseline; b != (Span{}) {
		s.Baseline = []float64{b.From, b.To}
	}
	return &recipe.Recipe{Signal: s}
}

// recorded is the rate of the recording before any preparation.
func (r *Recording) recorded() float64 {
	if p, ok := r.reader.(*preparing); ok {
		return p.from.Rate
	}
	return r.Rate
}

// Recipe says how a stream makes matrices of windows; channels are those of the matrices,
// without a reference, and rate is that of the samples that come.
func (o StreamOptions) Recipe(channels []string, rate float64) *recipe.Recipe {
	from := rate
	if o.Prepare.Rate != 0 {
		rate = o.Prepare.Rate
	}
	s := signalRecipe(channels, rate, o.Bands, o.Order, o.Combine, o.Covariance)
	s.Delays = slices.Clone(o.Delays)
	o.Spectrum.describe(s)
	o.Prepare.describe(s, from)
	s.Causal = s.Filtered()
	s.Window = math.Round(o.Window*rate) / rate
	return &recipe.Recipe{Signal: s}
}

// describe says in the recipe that matrices are spectral.
func (o SpectrumOptions) describe(s *recipe.Signal) {
	if o = o.completed(); o.Kind != "" {
		s.Estimator, s.Segment, s.Overlap, s.Order = o.Kind, o.Segment, o.Overlap, 0
	}
}

func signalRecipe(channels []string, rate float64, bands []Band, order int, combine Combine,
	c spd.CovarianceOptions) *recipe.Signal {
	s := &recipe.Signal{Rate: rate, Channels: slices.Clone(channels), Estimator: c.Estimator.String(),
		Normalize: c.TraceNormalize}
	for _, b := range bands {
		s.Bands = append(s.Bands, recipe.Band(b))
	}
	if len(bands) > 0 {
		if s.Order = order; order == 0 {
			s.Order = DefaultOrder
		}
	}
	if len(bands) > 1 {
		s.Combine = combine.String()
	}
	return s
}

// StreamOf returns the options of a stream that makes matrices as the recipe says, with
// a step of a window. A recipe of other things than a signal is an error.
func StreamOf(r *recipe.Recipe) (StreamOptions, error) {
	var o StreamOptions
	if r == nil || r.Signal == nil {
		return o, fmt.Errorf("it is not known how the matrices were made of a signal (%v)", r)
	}
	s := r.Signal
	o.Window, o.Order, o.Delays = s.Window, s.Order, slices.Clone(s.Delays)
	o.Prepare.Reference = s.Subtracted
	o.Prepare.Notch = s.Notch
	if s.Resampled {
		o.Prepare.Rate = s.Rate
	}
	for _, b := range s.Bands {
		o.Bands = append(o.Bands, Band(b))
	}
	var err error
	if s.Combine != "" {
		if o.Combine, err = ParseCombine(s.Combine); err != nil {
			return o, err
		}
	}
	o.Covariance.TraceNormalize = s.Normalize
	if s.Segment > 0 {
		o.Spectrum = SpectrumOptions{Kind: s.Estimator, Segment: s.Segment, Overlap: s.Overlap}
		return o, o.Spectrum.check(len(o.Bands), o.Combine, o.Order, o.Delays)
	}
	o.Covariance.Estimator, err = spd.ParseEstimator(s.Estimator)
	return o, err
}
