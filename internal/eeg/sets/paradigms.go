package sets

import (
	"rao/eeg"
	"rao/internal/optionvalues"
	"rao/recipe"
)

// paradigm describes how MOABB prepares the trials of a kind of experiment.
type paradigm struct {
	bands   []recipe.Band
	signals bool // use the trials themselves, for evoked potentials
	shrink  bool // use shrinkage, because covariances would be singular
}

// These are the bands of MOABB's paradigms MotorImagery and P300, with Butterworth filters of order 4. For
// FilterBankSSVEP the bands depend on the set; see ssvep.
var (
	imagery = paradigm{bands: []recipe.Band{{Low: 8, High: 32}}}
	p300    = paradigm{bands: []recipe.Band{{Low: 1, High: 24}}, signals: true}
)

// ssvep returns the paradigm for lights that flicker at the given frequencies in hertz, with a band of 1 Hz around
// each.
func ssvep(hertz ...float64) paradigm {
	p := paradigm{shrink: true}
	for _, f := range hertz {
		p.bands = append(p.bands, recipe.Band{Low: f - 0.5, High: f + 0.5})
	}
	return p
}

// prepare sets the options for filters and observations.
func (p paradigm) prepare(opt *eeg.TrialOptions) {
	opt.Bands, opt.Order, opt.Combine = p.bands, 4, optionvalues.CombineStacked
	switch {
	case p.signals:
		opt.Estimator = optionvalues.EstimatorNone
	case p.shrink:
		opt.Estimator = "oas"
	}
}
