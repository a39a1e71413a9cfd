package covstream

import (
	"fmt"
	"math"
	"slices"

	"rao/internal/recipes"
	"rao/recipe"
	"rao/spd"
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

// Canonical returns the options with defaults filled in and with the estimator's name as recipes write it.
func Canonical(o recipe.SignalOptions) recipe.SignalOptions {
	o = o.Completed()
	if e, err := spd.ParseEstimator(string(o.Estimator)); err == nil {
		o.Estimator = recipe.Estimator(e)
	}
	return o
}
