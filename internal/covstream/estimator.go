package covstream

import (
	"cmp"

	"gonum.org/v1/gonum/mat"

	"rao/internal/optionvalues"
	"rao/recipe"
	"rao/spd"
)

// Estimator computes the matrices of windows of a fixed size. It is not safe for concurrent use.
type Estimator struct {
	opt      recipe.SignalOptions
	cov      spd.CovarianceOptions
	channels int
	spec     *spectra  // nil for covariances
	long     mat.Dense // window with delayed copies
	out      []*mat.SymDense
}

// NewEstimator returns an estimator for windows with the given numbers of channels and samples. It returns an error
// if the options are inconsistent with each other or with the size of the window.
func NewEstimator(channels, samples int, rate float64, opt recipe.SignalOptions) (*Estimator, error) {
	if err := opt.Check(samples); err != nil {
		return nil, err
	}
	e := &Estimator{opt: opt, channels: channels, out: make([]*mat.SymDense, 1)}
	var err error
	if optionvalues.IsSpectral(string(opt.Estimator)) {
		e.spec, err = newSpectra(opt, channels, samples, rate)
		return e, err
	}
	e.cov.TraceNormalize = opt.Normalize
	e.cov.Estimator, err = optionvalues.ParseEstimator(spd.Estimator(cmp.Or(opt.Estimator, "sample")),
		optionvalues.SpectralEstimators()...)
	return e, err
}

// EstimateSpectra returns the spectral matrices of a signal in pieces, each samples × channels, one matrix per band.
// No segment extends from one piece to the next, and pieces shorter than a segment are ignored. The matrices are
// valid until the next call. It panics unless the options select spectral matrices.
func (e *Estimator) EstimateSpectra(pieces []*mat.Dense) ([]*mat.SymDense, error) {
	return e.spec.out, e.spec.estimate(pieces...)
}

// Estimate returns the covariance of a window. The columns of the window are the channels of one band, or of several
// bands in turn. For a spectral estimator it returns one matrix per band instead. The matrices are valid until the
// next call.
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
	_, err := spd.Covariance(e.out[0], window, e.cov)
	return e.out, err
}
