package sets

import (
	"rao/eeg"
	"rao/recipe"
)

// paradigm is how MOABB prepares the trials of a kind of experiment.
type paradigm struct {
	bands   []recipe.Band
	signals bool // trials themselves, in which evoked potentials are found
	shrink  bool // covariances, which are singular without
}

// MOABB's filters, Butterworth of order 4: those of MotorImagery and P300, and of FilterBankSSVEP for the lights of a
// set.
var (
	imagery = paradigm{bands: []recipe.Band{{Low: 8, High: 32}}}
	p300    = paradigm{bands: []recipe.Band{{Low: 1, High: 24}}, signals: true}
)

// ssvep is the paradigm of lights that flicker at frequencies in hertz: a band of 1 Hz around each.
func ssvep(hertz ...float64) paradigm {
	p := paradigm{shrink: true}
	for _, f := range hertz {
		p.bands = append(p.bands, recipe.Band{Low: f - 0.5, High: f + 0.5})
	}
	return p
}

// prepare determines how the trials of a set are filtered and represented.
func (p paradigm) prepare(opt *eeg.TrialOptions) {
	opt.Bands, opt.Order, opt.Combine = p.bands, 4, recipe.Stacked
	switch {
	case p.signals:
		opt.Estimator = recipe.NoEstimator
	case p.shrink:
		opt.Estimator = "oas"
	}
}
