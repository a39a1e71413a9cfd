package recipes

import (
	"fmt"
	"slices"

	"rao/internal/optionvalues"
	"rao/recipe"
)

// Seconds returns the length in seconds of the signal used for an observation, or 0 if it is unknown or the recipe is
// nil.
func Seconds(r *recipe.Recipe) float64 {
	if SignalOf(r) == nil {
		return 0
	}
	return r.Signal.Window
}

// SignalOf returns the signal that a recipe describes, or nil without a recipe of a signal.
func SignalOf(r *recipe.Recipe) *recipe.Signal {
	if r == nil {
		return nil
	}
	return r.Signal
}

// Inputs returns the channels that a signal must have: the channels of the matrices and the reference channels.
func Inputs(s *recipe.Signal) []string {
	if slices.Equal(s.Subtracted, []string{optionvalues.AverageReference}) {
		return slices.Clone(s.Channels)
	}
	return slices.Concat(s.Channels, s.Subtracted)
}

// Names returns the names of the matrix rows: the channels, with their band if there are several, and their delay if
// there is one.
func Names(s *recipe.Signal) []string {
	bands := []string{""}
	if len(s.Bands) > 1 {
		bands = nil
		for _, b := range s.Bands {
			bands = append(bands, " "+b.String())
		}
	}
	names := make([]string, 0, len(bands)*len(s.Channels)*(1+len(s.Delays)))
	for _, b := range bands {
		for i := range 1 + len(s.Delays) {
			for _, c := range s.Channels {
				if i > 0 {
					c += fmt.Sprintf(" delay %d", s.Delays[i-1])
				}
				names = append(names, c+b)
			}
		}
		if s.Estimator == optionvalues.EstimatorCrossSpectrum {
			for _, c := range s.Channels {
				names = append(names, c+b+" imaginary")
			}
		}
	}
	return names
}
