package stream

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/recipe"
)

// Options describe how a stream of samples becomes matrices.
type Options struct {
	// Window is the length of the signal behind each matrix in seconds.
	Window float64
	// Step is the time between matrices in seconds; 0: Window (no overlap); +Inf: none, call Covariance instead.
	Step float64
	// Prepare is applied to every sample first, causally. Reference channels come after the channels of the matrices;
	// the rate of the stream is the rate of the incoming samples.
	Prepare Preparation
	// Bands are filtered causally; several are combined as Stacked or BlockDiagonal.
	recipe.SignalOptions
	// Each is called after every prepared sample with the number of samples since the start or the last restart; it
	// may call Covariance. Its error ends Push.
	Each func(made int64) error
}

// Stream turns blocks of samples into the covariance matrices of a sliding window. The matrices do not depend on the
// sizes of the blocks, and equal those of eeg.CutTrials with Causal and the same bands. In steady state only
// Covariance allocates. It is not safe for concurrent use.
type Stream struct {
	opt      Options
	channels int
	window   int       // samples
	step     int       // 0 for none
	rate     float64   // of the matrices
	prepare  *preparer // nil for none
	width    int       // channels that come
	came     int64     // incoming samples, at their own rate
	filters  []*filter
	// samples of all bands, stored twice, one window apart: the last window is contiguous
	ring []float64
	line []float64 // one sample of one band
	view mat.Dense // the window, or one band of it
	est  *Estimator
	cov  *mat.SymDense // the matrix handed out
	seen int64         // samples so far, prepared
	flat flatness
}

// New returns a stream of the given channels and sampling rate in hertz.
func New(channels int, rate float64, opt Options) (*Stream, error) {
	opt.Step = cmp.Or(opt.Step, opt.Window)
	if channels < 1 || !(rate > 0) || math.IsInf(rate, 0) {
		return nil, fmt.Errorf("a stream of %d channels at %g Hz: both must be positive", channels, rate)
	}
	width, came := channels, rate
	prepare, err := opt.Prepare.live(channels, rate)
	if err != nil {
		return nil, err
	}
	if prepare != nil {
		channels, rate = prepare.channels, prepare.rate
	}
	window, step := math.Round(opt.Window*rate), math.Round(opt.Step*rate)
	asked := math.IsInf(step, 1)
	if !(window >= 2 && window <= 1<<24) || !asked && !(step >= 1 && step <= math.MaxInt32) {
		return nil, fmt.Errorf("windows of %g s every %g s are %g and %g samples at %g Hz: use 2 to %d samples, "+
			"every 1 or more", opt.Window, opt.Step, window, step, rate, 1<<24)
	}
	if asked {
		step = 0
	}
	if len(opt.Bands) > 1 && opt.Combine != recipe.Stacked && opt.Combine != recipe.BlockDiagonal {
		return nil, fmt.Errorf("a stream gives one matrix a window: combine its %d bands as stacked or block-diagonal",
			len(opt.Bands))
	}
	s := &Stream{opt: opt, prepare: prepare, width: width, channels: channels, window: int(window), step: int(step),
		rate: rate, line: make([]float64, channels), flat: newFlatness(width, opt.Window*came)}
	if opt.Estimator != recipe.NoEstimator {
		s.est, err = NewEstimator(channels, s.window, rate, opt.SignalOptions)
	} else if !asked {
		err = fmt.Errorf("trials have no covariances to decide on as the signal comes; decide at events")
	}
	if err != nil {
		return nil, err
	}
	if opt.Spectral() {
		opt.Bands = nil // no filter runs
	}
	for _, b := range opt.Bands {
		f, err := newFilter(b, opt.Order, channels, rate)
		if err != nil {
			return nil, err
		}
		s.filters = append(s.filters, f)
	}
	s.ring = make([]float64, 2*s.window*s.wide())
	s.cov = mat.NewSymDense(s.Dim(), nil)
	return s, nil
}

// Dim returns the order of the matrices: channels times bands, and as often again as there
// are delays.
func (s *Stream) Dim() int {
	if s.est == nil {
		return s.wide()
	}
	if p := s.est.spec; p != nil {
		return len(p.out) * p.out[0].SymmetricDim()
	}
	return s.wide() * (1 + len(s.opt.Delays))
}

// wide is the number of values of a sample: channels times bands.
func (s *Stream) wide() int { return s.channels * max(1, len(s.filters)) }

// Restart marks a discontinuity of the signal, such as a gap: filters and window restart, and no window crosses it.
// The sample count continues.
func (s *Stream) Restart() {
	s.seen = 0
	s.flat.reset()
	for _, f := range s.filters {
		f.reset()
	}
	if s.prepare != nil {
		s.prepare.reset()
	}
}

// Covariance returns the covariance of the last window, regardless of Step, or nil if there is no complete window yet.
// It is valid until the next sample.
func (s *Stream) Covariance() (*mat.SymDense, error) {
	if s.seen < int64(s.window) {
		return nil, nil
	}
	return s.cov, s.covariance()
}

// Rate returns the sampling rate behind the matrices in hertz: the rate of the stream, or the rate after preparation.
func (s *Stream) Rate() float64 { return s.rate }

// Window returns the length of the window in samples, at the rate of the matrices.
func (s *Stream) Window() int { return s.window }

// Push takes a block of samples (samples×channels, oldest first) and calls emit for every completed window, with the
// covariance (valid during the call) and the number of the sample after the window, counted from the start of the
// stream. It returns an error of emit. A sample that is not finite is a *SampleError and leaves the stream as it was
// before that sample; Skip skips it. A window without a valid covariance is also a *SampleError. It panics with
// mat.ErrShape if the block is not whole samples.
func (s *Stream) Push(block []float64, emit func(cov *mat.SymDense, end int64) error) error {
	if len(block)%s.width != 0 {
		panic(mat.ErrShape)
	}
	for k := 0; k < len(block); k += s.width {
		rows := block[k : k+s.width]
		for c, v := range rows {
			if !vec.Finite(v) {
				return &SampleError{Came: s.came, Refused: true,
					Err: fmt.Errorf("sample %d, channel %d of the stream is %g", s.came, c+1, v)}
			}
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

// advance takes a prepared sample, and hands out the window that it completes.
func (s *Stream) advance(row []float64, emit func(cov *mat.SymDense, end int64) error) error {
	s.take(row)
	if s.opt.Each != nil {
		if err := s.opt.Each(s.seen); err != nil {
			return err
		}
	}
	if past := s.seen - int64(s.window); s.step == 0 || past < 0 || past%int64(s.step) != 0 {
		return nil
	}
	if err := s.covariance(); err != nil {
		return &SampleError{Came: s.came, Err: fmt.Errorf("window ending at sample %d: %w", s.came, err)}
	}
	return emit(s.cov, s.came)
}

// take filters one sample into the ring.
func (s *Stream) take(row []float64) {
	wide := s.wide()
	at := int(s.seen % int64(s.window))
	dst := s.ring[at*wide : (at+1)*wide]
	s.seen++
	if len(s.filters) == 0 {
		copy(dst, row)
	}
	for b, f := range s.filters {
		copy(s.line, row)
		f.process(s.line)
		copy(dst[b*s.channels:], s.line)
	}
	copy(s.ring[(at+s.window)*wide:], dst)
}

// covariance estimates the matrix of the window that the ring holds.
func (s *Stream) covariance() error {
	parts, columns := 1, s.wide()
	if s.opt.Combine == recipe.BlockDiagonal {
		parts, columns = max(1, len(s.filters)), s.channels
	}
	for part := range parts {
		made, err := s.est.Estimate(s.last(part*columns, columns))
		if err != nil {
			return err
		}
		for b, m := range made {
			setBlock(s.cov, part+b, m)
		}
	}
	return nil
}

// setBlock copies m to block b of the diagonal of dst.
func setBlock(dst *mat.SymDense, b int, m *mat.SymDense) {
	n := m.SymmetricDim()
	for i := range n {
		for j := i; j < n; j++ {
			dst.SetSym(b*n+i, b*n+j, m.At(i, j))
		}
	}
}

// last returns columns of the last window, in order of time.
func (s *Stream) last(first, columns int) *mat.Dense {
	wide := s.wide()
	at := int(s.seen % int64(s.window))
	s.view.SetRawMatrix(blas64.General{Rows: s.window, Cols: columns, Stride: wide, Data: s.ring[at*wide+first:]})
	return &s.view
}
