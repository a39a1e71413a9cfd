package recipe

// Preparation lists the steps before band-pass filtering and cutting of trials. They are done in this order: bad
// channels, reference, notch, rate. The zero value does nothing.
type Preparation struct {
	// Interpolate replaces channels marked as bad in the recording. It is not supported for streams.
	Interpolate bool
	// Reference is "average", or the names of the reference channels. The mean of the reference channels is subtracted
	// from the other channels, and the reference channels are dropped. Nil keeps the reference of the recording. With
	// the average reference, covariances are singular; use shrinkage.
	Reference []string
	// Notch lists frequencies in hertz to remove, each with a bandwidth of 1/30 of the frequency.
	Notch []float64
	// Rate is the output sampling rate in hertz; 0 keeps the rate of the recording. The ratio of the two rates must
	// be a fraction of integers up to 1000.
	Rate float64
	// Causal filters forward only, as a live decoder must. Resampling then delays the signal by ten samples of the
	// lower rate.
	Causal bool
}
