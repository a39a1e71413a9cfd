package stream

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/covstream"
	"rao/recipe"
)

// CovariancesOptions describe how a live signal becomes covariances.
type CovariancesOptions struct {
	// Window is the length in seconds of the signal from which each matrix is computed.
	Window float64
	// Step is the time in seconds between matrices. 0 means Window: windows do not overlap.
	Step float64
	// Prepare is applied to every sample first, with causal filters. Reference channels must follow the channels of the
	// matrices.
	Prepare recipe.Preparation
	// Bands are filtered causally. Several bands must be combined with recipe.CombineStacked or
	// recipe.CombineBlockDiagonal.
	recipe.SignalOptions
}

// Covariances computes the covariance of every window of a live signal, without a model. The matrices do not depend on
// the sizes of the blocks. They equal the matrices of package eeg with the same bands and causal filters. It is not
// safe for concurrent use.
type Covariances struct{ stream *covstream.Stream }

// NewCovariances returns the covariances of a signal with the given number of channels and sampling rate in hertz. It
// returns an error if an option is out of range, or if options exclude each other.
func NewCovariances(channels int, rate float64, opt CovariancesOptions) (*Covariances, error) {
	s, err := covstream.New(channels, rate, covstream.Options{Window: opt.Window, Step: opt.Step, Prepare: opt.Prepare,
		SignalOptions: opt.SignalOptions})
	if err != nil {
		return nil, err
	}
	return &Covariances{s}, nil
}

// Push processes a block of samples (samples×channels, oldest first). For every completed window it calls emit with the
// covariance, which is valid during the call, and the number of samples from the start of the signal to the end of the
// window. It returns the error of emit, if any. If a sample is not finite, it returns a *[SampleError] and does not
// process that sample; call Skip to skip it. It panics with mat.ErrShape if the block does not consist of complete
// samples.
func (c *Covariances) Push(block []float64, emit func(cov *mat.SymDense, end int64) error) error {
	return c.stream.Push(block, emit)
}

// Skip counts the next sample without using it, and restarts the signal after it.
func (c *Covariances) Skip() { c.stream.Skip() }

// Restart marks a break in the signal, such as a gap: filters and window restart, and no window extends across it.
func (c *Covariances) Restart() { c.stream.Restart() }
