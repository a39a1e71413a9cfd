package stream

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/covstream"
	"rao/recipe"
)

// Covariances computes the covariance of every window of a live signal, without a model. The matrices do not depend on
// the sizes of the blocks. They equal the matrices of package eeg with the same bands and causal filters. It is not
// safe for concurrent use.
type Covariances struct{ windows *covstream.Stream }

// NewCovariances returns the covariances of a live signal with the given number of channels and sampling rate in hertz.
// how describes the window, the estimator, and the preparation of the samples, with causal filters. In a sample, the
// channels of the matrices come first, followed by the reference channels. Several bands must be combined as stacked or
// block-diagonal. step is the time between matrices in seconds; with 0, windows do not overlap. It returns an error if
// a value is out of range, or if values contradict each other.
func NewCovariances(channels int, rate, step float64, how *recipe.Signal) (*Covariances, error) {
	opt, err := covstream.OptionsOf(&recipe.Recipe{Signal: how})
	if err != nil {
		return nil, err
	}
	opt.Step = step
	windows, err := covstream.New(channels, rate, opt)
	if err != nil {
		return nil, err
	}
	return &Covariances{windows}, nil
}

// Push processes a block of samples (samples×channels, oldest first). For every completed window it calls emit with the
// covariance, which is valid during the call, and the number of samples from the start of the signal to the end of the
// window. It returns the error of emit, if any. If a sample is not finite, it returns a *[SampleError] and does not
// process that sample. It panics with mat.ErrShape if the block does not consist of complete samples.
func (c *Covariances) Push(block []float64, emit func(cov *mat.SymDense, end int64) error) error {
	return c.windows.Push(block, emit)
}

// Restart marks a break in the signal, such as a gap: filters and window restart, and no window extends across it.
// missing is the number of samples in the break that count, such as 1 after an invalid sample.
func (c *Covariances) Restart(missing int) { c.windows.Restart(missing) }
