package stream

import (
	"fmt"
	"math"
	"slices"

	"rao/recipe"
	"rao/spd"
)

// Recipe says how a stream makes matrices of windows; channels are those of the matrices,
// without a reference, and rate is that of the samples that come.
func (o Options) Recipe(channels []string, rate float64) *recipe.Recipe {
	from := rate
	if o.Prepare.Rate != 0 {
		rate = o.Prepare.Rate
	}
	s := o.Describe(channels, rate)
	o.Prepare.Describe(s, from)
	s.Causal = s.Filtered()
	s.Window = math.Round(o.Window*rate) / rate
	return &recipe.Recipe{Signal: s}
}

// OptionsOf returns the options of a stream that makes matrices as the recipe says, with
// a step of a window. A recipe of other things than a signal is an error.
func OptionsOf(r *recipe.Recipe) (Options, error) {
	var o Options
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
