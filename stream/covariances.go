package stream

import "rao/internal/covstream"

// CovariancesOptions describe how a live signal becomes covariances.
//
//   - Window (float64) is the length in seconds of the signal from which each matrix is computed.
//   - Step (float64) is the time in seconds between matrices. 0 means Window: windows do not overlap.
//   - Prepare ([recipe.Preparation]) is applied to every sample first, with causal filters. Reference channels must
//     follow the channels of the matrices.
//   - Names ([]string) are the names of the channels, for messages. They are optional.
//   - SignalOptions ([recipe.SignalOptions]) are the bands, which are filtered causally, and the estimator. Several
//     bands must be combined with recipe.CombineStacked or recipe.CombineBlockDiagonal.
type CovariancesOptions = covstream.Options

// Covariances computes the covariance of every window of a live signal, without a model. The matrices do not depend on
// the sizes of the blocks. They equal the matrices of package eeg with the same bands and causal filters. It is not
// safe for concurrent use.
//
// The method Push(block []float64, emit func(cov *mat.SymDense, end int64) error) error processes a block of samples
// (samples×channels, oldest first). For every completed window it calls emit with the covariance, which is valid during
// the call, and the number of samples from the start of the signal to the end of the window. It returns the error of
// emit, if any. If a sample is not finite, it returns a *[SampleError] and does not process that sample. It panics with
// mat.ErrShape if the block does not consist of complete samples.
//
// Skip() counts the next sample without using it, and restarts the signal after it. Restart() marks a break in the
// signal, such as a gap: filters and window restart, and no window extends across it.
type Covariances = covstream.Stream

// NewCovariances returns the covariances of a signal with the given number of channels and sampling rate in hertz. It
// returns an error if an option is out of range, or if options exclude each other.
func NewCovariances(channels int, rate float64, opt CovariancesOptions) (*Covariances, error) {
	return covstream.New(channels, rate, opt)
}
