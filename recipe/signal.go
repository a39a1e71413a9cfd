package recipe

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/text"
)

// Band is a frequency band in hertz. If Low is 0, it is everything below High; if High is 0, it is everything above
// Low.
type Band struct {
	Low  float64 `json:"low"`  // lower end in hertz; 0: none
	High float64 `json:"high"` // upper end in hertz; 0: none
}

// String returns the band in the format of [ParseBands], such as 8-30.
func (b Band) String() string { return fmt.Sprintf("%g-%g", b.Low, b.High) }

// ParseBands parses a comma-separated list of bands in hertz, such as "8-12,12-16" or "8-30". If a band cannot be
// parsed, the error names it.
func ParseBands(text string) ([]Band, error) {
	var out []Band
	for _, word := range strings.Split(text, ",") {
		low, high, ok := strings.Cut(strings.TrimSpace(word), "-")
		a, err1 := strconv.ParseFloat(low, 64)
		b, err2 := strconv.ParseFloat(high, 64)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%q is not a band; write LOW-HIGH in hertz, such as 8-30", word)
		}
		out = append(out, Band{a, b})
	}
	return out, nil
}

// Combine selects how several bands are combined:
//
//   - separate gives one stack of matrices per band. It is the default;
//   - block-diagonal gives one matrix with a block per band;
//   - stacked gives one matrix over the channels of all bands;
//   - filter-bank, for the estimator correlations, gives a weighted sum of the squared correlations of all bands.
type Combine string

func (c Combine) validate() error {
	switch c {
	case "", optionvalues.CombineSeparate, optionvalues.CombineBlockDiagonal, optionvalues.CombineStacked,
		optionvalues.CombineFilterBank:
		return nil
	}
	return fmt.Errorf("bands cannot be combined as %q; choose %s, %s, %s or %s", string(c),
		optionvalues.CombineSeparate,
		optionvalues.CombineBlockDiagonal, optionvalues.CombineStacked, optionvalues.CombineFilterBank)
}

// Estimator is what a window becomes: the name of a covariance estimator of package spd, such as oas, or one of the
// values below. The default is the sample covariance.
//
//   - none gives the signals themselves, channel after channel;
//   - correlations gives the canonical correlation with an oscillation of each frequency;
//   - cospectrum gives Re S_f;
//   - cross-spectrum gives [Re S_f, −Im S_f; Im S_f, Re S_f], of twice the order;
//   - coherence gives |S_f,ij|² / (S_f,ii S_f,jj).
//
// S_f is the Hermitian cross-spectral matrix of the channels at frequency f. The spectral matrices are means over the
// frequencies of a band, including both ends.
type Estimator string

// SignalOptions describe how a trial or a window of a signal becomes an observation. The zero value gives the sample
// covariance of the unfiltered signal.
type SignalOptions struct {
	// Bands are the pass bands of Butterworth filters; nil means no filter. For spectral matrices they are the bands
	// over which the mean is computed, and nothing is filtered.
	Bands []Band `json:"bands,omitempty"`
	// Order is the order of the filters; 0 means 5.
	Order int `json:"order,omitempty"`
	// Combine selects how several bands are combined: separate (the default), block-diagonal, stacked or filter-bank.
	// Stacked is useful for steady-state visual evoked potentials (Congedo et al., 2013; Kalunga et al., 2016).
	Combine Combine `json:"combine,omitempty"`
	// Delays are delays in samples, in ascending order. For each delay, delayed copies of the channels are appended
	// (Lemm et al., 2005), which adds spectral information to the matrix. The largest delay shortens the window.
	Delays []int `json:"delays,omitempty"`
	// Estimator is the name of a covariance estimator, such as sample, oas or ledoit_wolf; cospectrum, cross-spectrum
	// or coherence for a spectral matrix; none for the signal itself; or correlations. Empty means the sample
	// covariance.
	Estimator Estimator `json:"estimator"`
	// Normalize divides each matrix by its mean diagonal element.
	Normalize bool `json:"normalize"`
	// Segment is the length in seconds of the segments for spectral matrices (Welch, 1967); 0 means 0.5.
	// Each segment has a Hann window. The frequencies are multiples of 1/Segment.
	Segment float64 `json:"segment,omitempty"`
	// Overlap is the overlap of successive segments, as a fraction of their length; 0 means 0.75.
	Overlap float64 `json:"overlap,omitempty"`
	// Frequencies are the frequencies in hertz of the oscillations for the estimator correlations.
	Frequencies []float64 `json:"frequencies,omitempty"`
	Harmonics   int       `json:"harmonics,omitempty"` // number of harmonics of each oscillation, with the fundamental
}

// spectral reports whether the observations are spectral matrices.
func (o SignalOptions) spectral() bool { return optionvalues.IsSpectral(string(o.Estimator)) }

// Check returns an error if the options are inconsistent with each other or with the number of samples in a window.
func (o SignalOptions) Check(samples int) error {
	if err := o.Combine.validate(); err != nil {
		return err
	}
	switch {
	case o.Combine == optionvalues.CombineFilterBank && o.Estimator != optionvalues.EstimatorCorrelations:
		return fmt.Errorf("a %s combines the correlations of bands with oscillations, not the output of the estimator "+
			"%q; leave one out",
			optionvalues.CombineFilterBank, cmp.Or(o.Estimator, "sample"))
	case len(o.Frequencies) > 0 && o.Estimator != optionvalues.EstimatorCorrelations:
		return fmt.Errorf("frequencies of oscillations work only with correlations, not with the estimator %q; leave "+
			"them out", cmp.Or(o.Estimator, "sample"))
	case !o.spectral() && (o.Segment != 0 || o.Overlap != 0):
		return fmt.Errorf("segments work only with spectral matrices (%s, %s, %s), not with the estimator %q; leave "+
			"them out", optionvalues.EstimatorCospectrum, optionvalues.EstimatorCrossSpectrum,
			optionvalues.EstimatorCoherence, cmp.Or(o.Estimator, "sample"))
	case o.Estimator == optionvalues.EstimatorNone || o.Estimator == optionvalues.EstimatorCorrelations:
		return o.checkSignals()
	case o.spectral():
		if err := o.checkSpectral(); err != nil {
			return err
		}
	}
	return checkDelays(o.Delays, samples)
}

// checkSignals checks options for observations that are not matrices.
func (o SignalOptions) checkSignals() error {
	switch {
	case len(o.Bands) > 1 && o.Combine != optionvalues.CombineStacked &&
		!(o.Combine == optionvalues.CombineFilterBank && o.Estimator == optionvalues.EstimatorCorrelations):
		return fmt.Errorf("the combination of %d bands is %q; signals of several bands must be %s, so choose that or "+
			"give one band", len(o.Bands), cmp.Or(o.Combine, optionvalues.CombineSeparate), optionvalues.CombineStacked)
	case len(o.Delays) > 0 || o.Normalize:
		return fmt.Errorf("delays and normalization work only with matrices, not with the estimator %q; leave them "+
			"out", o.Estimator)
	}
	return nil
}

func (o SignalOptions) checkSpectral() error {
	switch {
	case len(o.Bands) > 1 && o.Combine == optionvalues.CombineStacked:
		return fmt.Errorf("spectral matrices of %d bands have no blocks between bands; combine them as %s",
			len(o.Bands), optionvalues.CombineBlockDiagonal)
	case o.Order != 0:
		return fmt.Errorf("a filter order is given, but the estimator %s uses bands without filters; leave the order "+
			"out", o.Estimator)
	case len(o.Delays) > 0:
		return fmt.Errorf("delays and the estimator %s both add spectral information; choose one", o.Estimator)
	case o.Normalize && o.Estimator == optionvalues.EstimatorCoherence:
		return fmt.Errorf("the diagonal of a %s is 1, so it cannot be normalized; leave the normalization out",
			optionvalues.EstimatorCoherence)
	case !validSegments(o.Segment, o.Overlap):
		return fmt.Errorf("the segments are %g s long and overlap by a fraction of %g; use a length of 0 s or more, "+
			"and a fraction of at least 0 and below 1", o.Segment, o.Overlap)
	}
	return nil
}

func validSegments(segment, overlap float64) bool {
	return vec.NotNegative(segment) && overlap >= 0 && overlap < 1
}

// checkDelays returns an error unless the delays are positive, ascending, and leave at least two samples.
func checkDelays(delays []int, samples int) error {
	for i, d := range delays {
		if d < 1 || i > 0 && d <= delays[i-1] {
			return fmt.Errorf("the delays are %s samples; the first must be at least 1, and each must be larger than "+
				"the previous one", text.Join(delays))
		}
	}
	if n := len(delays); n > 0 && samples-delays[n-1] < 2 {
		return fmt.Errorf("a delay of %d needs trials of at least %d samples, but a trial has %d; use shorter "+
			"delays", delays[n-1], delays[n-1]+2, samples)
	}
	return nil
}
