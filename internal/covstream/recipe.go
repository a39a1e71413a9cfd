package covstream

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/recipe"
)

// Recipe returns the recipe of a stream. channels are the channels of the matrices, without reference channels. rate
// is the rate of the incoming samples in hertz.
func (o Options) Recipe(channels []string, rate float64) *recipe.Recipe {
	from := rate
	if o.Prepare.Rate != 0 {
		rate = o.Prepare.Rate
	}
	s := &recipe.Signal{Rate: rate, Channels: slices.Clone(channels), SignalOptions: Canonical(o.SignalOptions)}
	Describe(o.Prepare, s, from)
	s.Causal = s.Filtered()
	s.Window = math.Round(o.Window*rate) / rate
	return &recipe.Recipe{Signal: s}
}

// OptionsOf returns the options of a stream that follow a recipe, without overlap between windows. It returns an
// error if the recipe is not for signals.
func OptionsOf(r *recipe.Recipe) (Options, error) {
	var o Options
	if recipes.SignalOf(r) == nil {
		return o, fmt.Errorf("the recipe does not describe how matrices are computed from a signal (%v); use a "+
			"recipe of a signal", r)
	}
	s := r.Signal
	o.Window, o.SignalOptions = s.Window, s.SignalOptions
	o.Prepare.Reference = s.Subtracted
	o.Prepare.Notch = s.Notch
	if s.Resampled {
		o.Prepare.Rate = s.Rate
	}
	return o, o.Check(math.MaxInt)
}

// Defaults of [recipe.SignalOptions].
const (
	DefaultOrder   = 5
	DefaultSegment = 0.5
	defaultOverlap = 0.75 // as in pyRiemann
)

// Canonical returns the options with defaults filled in and options that have no effect removed.
func Canonical(o recipe.SignalOptions) recipe.SignalOptions {
	o.Bands, o.Delays, o.Frequencies = slices.Clone(o.Bands), slices.Clone(o.Delays), slices.Clone(o.Frequencies)
	o.Estimator = cmp.Or(o.Estimator, "sample")
	switch {
	case len(o.Bands) < 2:
		o.Combine = ""
	case o.Combine == "":
		o.Combine = optionvalues.CombineSeparate
	}
	switch {
	case optionvalues.IsSpectral(string(o.Estimator)):
		o.Segment = cmp.Or(o.Segment, DefaultSegment)
		o.Overlap = cmp.Or(o.Overlap, defaultOverlap)
	case len(o.Bands) == 0:
		o.Order = 0
	case o.Order == 0:
		o.Order = DefaultOrder
	}
	return o
}
