package covstream

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao/internal/dsp"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/recipe"
)

// Options describe how a stream of samples becomes matrices.
type Options struct {
	// Window is the length in seconds of the signal from which each matrix is computed.
	Window float64
	// Step is the time between matrices in seconds; 0 means Window (no overlap). With +Inf, Push emits no matrices;
	// call Covariance instead.
	Step float64
	// Prepare is applied to every sample first, with causal filters. Reference channels must follow the channels of the
	// matrices.
	Prepare recipe.Preparation
	// Names are the names of the incoming channels, for error messages; may be nil.
	Names []string
	// Bands are filtered causally. Several bands must be combined as stacked or block-diagonal.
	recipe.SignalOptions
	// Each is called after every prepared sample with the number of samples since the start or the last restart. It
	// may call Covariance. If it returns an error, so does Push.
	Each func(made int64) error
}

// Stream converts blocks of samples to covariance matrices of a sliding window. The matrices do not depend on the sizes
// of the blocks. They equal the matrices from eeg.CutTrials with the same bands and causal filters. In steady state,
// only robust estimators such as huber allocate memory. It is not safe for concurrent use.
type Stream struct {
	opt      Options
	channels int
	window   int       // window length in samples
	step     int       // step in samples; 0 for none
	rate     float64   // sampling rate after preparation
	prepare  *preparer // nil if there is nothing to prepare
	width    int       // number of incoming channels
	came     int64     // number of incoming samples, at the incoming rate
	filters  []*dsp.State
	// ring contains samples of all bands, each stored twice, one window apart, so the last window is contiguous.
	ring []float64
	view mat.Dense // the window, or one band of it
	est  *Estimator
	cov  *mat.SymDense // the matrix passed to emit, with both triangles
	seen int64         // number of prepared samples since the start or the last restart
	flat flatness
}

// New returns a stream with the given number of channels and sampling rate in hertz. It returns an error if an option
// is out of range, or if options exclude each other.
func New(channels int, rate float64, opt Options) (*Stream, error) {
	opt.Step = cmp.Or(opt.Step, opt.Window)
	if channels < 1 || !vec.Positive(rate) {
		return nil, fmt.Errorf("the stream has %d channels at %g Hz; both numbers must be positive and finite",
			channels, rate)
	}
	width, came := channels, rate
	prepare, err := newPreparer(opt.Prepare, channels, rate)
	if err != nil {
		return nil, err
	}
	if prepare != nil {
		channels, rate = prepare.channels, prepare.rate
	}
	window, step := math.Round(opt.Window*rate), math.Round(opt.Step*rate)
	asked := math.IsInf(step, 1)
	if !(window >= 2 && window <= 1<<24) || !asked && !(step >= 1 && step <= math.MaxInt32) {
		return nil, fmt.Errorf("windows of %g s every %g s are %g samples every %g samples at %g Hz; use windows of 2 "+
			"to %d samples, at least 1 sample apart", opt.Window, opt.Step, window, step, rate, 1<<24)
	}
	if asked {
		step = 0
	}
	if len(opt.Bands) > 1 && opt.Combine != optionvalues.CombineStacked &&
		opt.Combine != optionvalues.CombineBlockDiagonal {
		return nil,
			fmt.Errorf("a stream gives one matrix per window; combine the %d bands as stacked or block-diagonal",
				len(opt.Bands))
	}
	s := &Stream{opt: opt, prepare: prepare, width: width, channels: channels, window: int(window), step: int(step),
		rate: rate, flat: newFlatness(width, opt.Window*came)}
	if opt.Estimator != optionvalues.EstimatorNone {
		s.est, err = NewEstimator(channels, s.window, rate, opt.SignalOptions)
	} else if !asked {
		err = fmt.Errorf("a model of trials cannot decide continuously; decide at events, or use a model of matrices")
	}
	if err != nil {
		return nil, err
	}
	if optionvalues.IsSpectral(string(opt.Estimator)) {
		opt.Bands = nil // spectral estimators need no filters
	}
	for _, b := range opt.Bands {
		f, err := dsp.Band(b.Low, b.High, cmp.Or(opt.Order, DefaultOrder), rate)
		if err != nil {
			return nil, err
		}
		s.filters = append(s.filters, f.NewState(channels))
	}
	s.ring = make([]float64, 2*s.window*s.Columns())
	s.cov = mat.NewSymDense(s.Dim(), nil)
	return s, nil
}

// Dim returns the order of the matrices: channels times bands, times 1 plus the number of delays, and twice that for
// cross-spectra.
func (s *Stream) Dim() int {
	if s.est == nil {
		return s.Columns()
	}
	if p := s.est.spec; p != nil {
		return len(p.out) * p.out[0].SymmetricDim()
	}
	return s.Columns() * (1 + len(s.opt.Delays))
}

// Columns returns the number of values per prepared sample: channels times bands.
func (s *Stream) Columns() int { return s.channels * max(1, len(s.filters)) }

// Restart marks a break in the signal, such as a gap: filters and window restart, and no window extends across it. The
// count of incoming samples continues after the missing samples that are to be counted, such as an invalid one.
func (s *Stream) Restart(missing int) {
	s.came += int64(missing)
	s.seen = 0
	s.flat.reset()
	for _, f := range s.filters {
		f.Reset()
	}
	if s.prepare != nil {
		s.prepare.reset()
	}
}

// Covariance returns the covariance of the last window, regardless of Step, or nil if there is no complete window yet.
// It is valid until the next sample, and has both triangles in its raw data. It returns an error if the window has no
// valid covariance.
func (s *Stream) Covariance() (*mat.SymDense, error) {
	if s.seen < int64(s.window) {
		return nil, nil
	}
	return s.cov, s.covariance()
}

// Rate returns the sampling rate in hertz of the signal from which the matrices are computed, after any preparation.
func (s *Stream) Rate() float64 { return s.rate }

// Window returns the length of the window in samples, at the rate of the matrices.
func (s *Stream) Window() int { return s.window }

// Push processes a block of samples (samples×channels, oldest first). For every completed window it calls emit with the
// covariance, which is valid during the call and has both triangles in its raw data, and the number of samples up to
// the end of the window, counted from the start of the stream. It returns the error of emit or Options.Each, if any. If
// a sample is not finite, it returns a *SampleError and does not process that sample; call Restart(1) to skip it. If a
// window has no valid covariance, it also returns a *SampleError. It panics with mat.ErrShape if the block does not
// consist of complete samples.
func (s *Stream) Push(block []float64, emit func(cov *mat.SymDense, end int64) error) error {
	if len(block)%s.width != 0 {
		panic(mat.ErrShape)
	}
	for k := 0; k < len(block); k += s.width {
		rows := block[k : k+s.width]
		if c := vec.NotFinite(rows); c >= 0 {
			return &SampleError{Accepted: s.came, Refused: true, Err: fmt.Errorf("sample %d: %w", s.came,
				&naming.ChannelError{Channel: c, Of: "the stream", Fault: fmt.Sprintf("is %g", rows[c]),
					Names: s.opt.Names})}
		}
		s.came++
		s.flat.push(rows)
		if s.prepare != nil {
			rows = s.prepare.push(rows)
		}
		for ; len(rows) > 0; rows = rows[s.channels:] {
			if err := s.advance(rows[:s.channels], emit); err != nil {
				return err
			}
		}
	}
	return nil
}

// advance processes a prepared sample, and calls emit if it completes a window.
func (s *Stream) advance(row []float64, emit func(cov *mat.SymDense, end int64) error) error {
	s.addSample(row)
	if s.opt.Each != nil {
		if err := s.opt.Each(s.seen); err != nil {
			return err
		}
	}
	if past := s.seen - int64(s.window); s.step == 0 || past < 0 || past%int64(s.step) != 0 {
		return nil
	}
	if err := s.covariance(); err != nil {
		return &SampleError{Accepted: s.came, Err: fmt.Errorf("the window that ends at sample %d: %w", s.came, err)}
	}
	return emit(s.cov, s.came)
}

// addSample filters one sample and stores it in the ring.
func (s *Stream) addSample(row []float64) {
	wide := s.Columns()
	at := int(s.seen % int64(s.window))
	dst := s.ring[at*wide : (at+1)*wide]
	s.seen++
	if len(s.filters) == 0 {
		copy(dst, row)
	}
	for b, f := range s.filters {
		f.Process(dst[b*s.channels:(b+1)*s.channels], row)
	}
	copy(s.ring[(at+s.window)*wide:], dst)
}

func (s *Stream) covariance() error {
	parts, columns := 1, s.Columns()
	if s.opt.Combine == optionvalues.CombineBlockDiagonal {
		parts, columns = max(1, len(s.filters)), s.channels
	}
	for part := range parts {
		made, err := s.est.Estimate(s.last(part*columns, columns))
		if err != nil {
			return naming.NameChannel(err, s.opt.Names[:min(s.channels, len(s.opt.Names))])
		}
		for b, m := range made {
			setBlock(s.cov, part+b, m)
		}
	}
	return nil
}

// setBlock copies m to diagonal block b of dst, with both triangles.
func setBlock(dst *mat.SymDense, b int, m *mat.SymDense) {
	n, raw := m.SymmetricDim(), dst.RawSymmetric()
	for i := range n {
		for j := range n {
			raw.Data[(b*n+i)*raw.Stride+b*n+j] = m.At(i, j)
		}
	}
}

// last returns columns of the last window, oldest sample first.
func (s *Stream) last(first, columns int) *mat.Dense {
	wide := s.Columns()
	at := int(s.seen % int64(s.window))
	s.view.SetRawMatrix(blas64.General{Rows: s.window, Cols: columns, Stride: wide, Data: s.ring[at*wide+first:]})
	return &s.view
}
