package stream

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao/recipe"
	"rao/spd"
)

// Combine says what becomes of the bands of a filter bank.
type Combine int

// The ways to combine bands.
const (
	Separate      Combine = iota // one stack of matrices a band
	BlockDiagonal                // one matrix with a block a band
	Stacked                      // one matrix of all bands' channels, with the blocks between bands
)

var combineNames = [...]string{"separate", "block-diagonal", "stacked"}

// String returns the name that ParseCombine takes.
func (c Combine) String() string {
	if c < 0 || int(c) >= len(combineNames) {
		return fmt.Sprintf("combine(%d)", int(c))
	}
	return combineNames[c]
}

// ParseCombine reads "separate", "block-diagonal" or "stacked".
func ParseCombine(name string) (Combine, error) {
	if i := slices.Index(combineNames[:], strings.ToLower(name)); i >= 0 {
		return Combine(i), nil
	}
	return 0, fmt.Errorf("unknown way to combine bands %q; take %s", name, strings.Join(combineNames[:], ", "))
}

// MatrixOptions say how samples become matrices, of a window of a stream as of a trial of a recording.
type MatrixOptions struct {
	// Bands are filtered out of the signal; none takes it as it is.
	Bands []Band
	// Order is the order of the Butterworth filters; 0 is DefaultOrder.
	Order int
	// Combine says what becomes of several bands. Stacked is the form for steady-state
	// visual evoked potentials (Congedo et al., 2013; Kalunga et al., 2016).
	Combine Combine
	// Delays, in samples and rising, put copies of the channels next to them that come so much
	// later (Lemm et al., 2005), which adds spectral information to the matrix. The largest shortens
	// the window.
	Delays []int
	// Covariance says how each matrix is estimated.
	Covariance spd.CovarianceOptions
	// Spectrum takes spectral matrices in place of covariances.
	Spectrum SpectrumOptions
}

// Check returns an error unless the spectrum and the delays fit a window of so many samples.
func (o MatrixOptions) Check(samples int) error {
	if err := o.Spectrum.check(len(o.Bands), o.Combine, o.Order, o.Delays); err != nil {
		return err
	}
	return checkDelays(o.Delays, samples)
}

// Describe returns the recipe of matrices of such channels and rate, without window and preparation.
func (o MatrixOptions) Describe(channels []string, rate float64) *recipe.Signal {
	s := &recipe.Signal{Rate: rate, Channels: slices.Clone(channels), Estimator: o.Covariance.Estimator.String(),
		Normalize: o.Covariance.TraceNormalize, Delays: slices.Clone(o.Delays)}
	for _, b := range o.Bands {
		s.Bands = append(s.Bands, recipe.Band(b))
	}
	if len(o.Bands) > 0 {
		if s.Order = o.Order; o.Order == 0 {
			s.Order = DefaultOrder
		}
	}
	if len(o.Bands) > 1 {
		s.Combine = o.Combine.String()
	}
	if p := o.Spectrum.completed(); p.Kind != "" {
		s.Estimator, s.Segment, s.Overlap, s.Order = p.Kind, p.Segment, p.Overlap, 0
	}
	return s
}

// Estimator makes the matrices of windows of one size. It is for one goroutine.
type Estimator struct {
	opt      MatrixOptions
	channels int
	spec     *spectra  // nil of covariances
	long     mat.Dense // the window with delays
	out      []*mat.SymDense
}

// works are scratch memory that estimators share: a thousand of them, one window each, would
// fall out of every cache.
var works = sync.Pool{New: func() any { return new(spd.CovarianceWork) }}

// Estimator returns the estimator of the matrices of windows of so many samples and channels.
func (o MatrixOptions) Estimator(channels, samples int, rate float64) (*Estimator, error) {
	if err := o.Check(samples); err != nil {
		return nil, err
	}
	e := &Estimator{opt: o, channels: channels, out: make([]*mat.SymDense, 1)}
	if o.Spectrum.Kind == "" {
		return e, nil
	}
	var err error
	e.spec, err = newSpectra(o.Spectrum, o.Covariance.TraceNormalize, o.Bands, channels, samples, rate)
	return e, err
}

// EstimateSpectra returns the spectral matrices of a signal in pieces, samples × channels each, as Estimate
// does. No segment crosses from one piece to the next, and pieces shorter than a segment do not count.
// It panics unless the options ask for spectral matrices.
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
	_, err := work.Covariance(e.out[0], window, e.opt.Covariance)
	return e.out, err
}
