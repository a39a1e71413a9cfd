package stream

import (
	"cmp"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao/recipe"
	"rao/spd"
)

// Estimator computes the matrices of windows of one size. It is not safe for concurrent use.
type Estimator struct {
	opt      recipe.SignalOptions
	cov      spd.CovarianceOptions
	channels int
	spec     *spectra  // nil of covariances
	long     mat.Dense // the window with delays
	out      []*mat.SymDense
}

// works are scratch memory that estimators share: a thousand of them, one window each, would
// fall out of every cache.
var works = sync.Pool{New: func() any { return new(spd.CovarianceWork) }}

// NewEstimator returns an estimator for windows with the given numbers of samples and channels. Options that are
// inconsistent with each other or the window are errors.
func NewEstimator(channels, samples int, rate float64, opt recipe.SignalOptions) (*Estimator, error) {
	if err := opt.Check(samples); err != nil {
		return nil, err
	}
	e := &Estimator{opt: opt, channels: channels, out: make([]*mat.SymDense, 1)}
	var err error
	if opt.Spectral() {
		e.spec, err = newSpectra(opt, channels, samples, rate)
		return e, err
	}
	e.cov.TraceNormalize = opt.Normalize
	e.cov.Estimator, err = spd.ParseEstimator(cmp.Or(opt.Estimator, "sample"))
	return e, err
}

// EstimateSpectra returns the spectral matrices of a signal in pieces, samples × channels each, as Estimate does. No
// segment crosses from one piece to the next, and pieces shorter than a segment are ignored. It panics unless the
// options select spectral matrices.
func (e *Estimator) EstimateSpectra(pieces []*mat.Dense) ([]*mat.SymDense, error) {
	return e.spec.out, e.spec.estimate(pieces...)
}

// Estimate returns the covariance of a window, whose columns are the channels of one band or of several
// side by side, or else its spectral matrices, one of each band. They are valid until the next call.
func (e *Estimator) Estimate(window *mat.Dense) ([]*mat.SymDense, error) {
	if e.spec != nil {
		return e.spec.out, e.spec.estimate(window)
	}
	_, columns := window.Dims()
	if len(e.opt.Delays) > 0 {
		columns *= 1 + len(e.opt.Delays)
		if _, c := e.long.Dims(); c != columns {
			e.long.Reset()
		}
		embed(&e.long, window, e.channels, e.opt.Delays)
		window = &e.long
	}
	if e.out[0] == nil || e.out[0].SymmetricDim() != columns {
		e.out[0] = mat.NewSymDense(columns, nil)
	}
	work := works.Get().(*spd.CovarianceWork)
	defer works.Put(work)
	_, err := work.Covariance(e.out[0], window, e.cov)
	return e.out, err
}
