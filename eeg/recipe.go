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
	s.Reference = r.Reference
	s.Causal = o.Causal && len(o.Bands) > 0
	s.Window = math.Round((o.Stop-o.Start)*r.Rate) / r.Rate
	return &recipe.Recipe{Signal: s}
}

// Recipe says how a stream of the named channels makes matrices of windows.
func (o StreamOptions) Recipe(channels []string, rate float64) *recipe.Recipe {
	s := signalRecipe(channels, rate, o.Bands, o.Order, o.Combine, o.Covariance)
	s.Causal = len(o.Bands) > 0
	s.Window = math.Round(o.Window*rate) / rate
	return &recipe.Recipe{Signal: s}
}

func signalRecipe(channels []string, rate float64, bands []Band, order int, combine Combine, c spd.CovarianceOptions) *recipe.Signal {
	s := &recipe.Signal{Rate: rate, Channels: slices.Clone(channels), Estimator: c.Estimator.String(), Normalize: c.TraceNormalize}
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
	o.Window, o.Order = s.Window, s.Order
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
	o.Covariance.Estimator, err = spd.ParseEstimator(s.Estimator)
	return o, err
}
