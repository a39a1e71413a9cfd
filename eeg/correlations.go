package eeg

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/orth"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/text"
)

// correlations computes canonical correlations of trials with oscillations, the baseline for steady-state potentials
// (Lin, Zhang, Wu and Gao, 2007). For each frequency f it is the largest correlation over time between a weighted sum
// of the channels and a weighted sum of
//
//	sin(2πhft), cos(2πhft),  h = 1 ... Harmonics
//
// after subtracting the means. Nothing is learned, and no labels are needed.
type correlations struct {
	Frequencies []float64 // in hertz; one feature each
	Harmonics   int
	Rate        float64 // samples per second
	Channels    int
	Samples     int // samples per trial
}

// Dims returns the number of values of a trial, over all channels, and the number of features.
func (c *correlations) Dims() (in, features int) { return c.Channels * c.Samples, len(c.Frequencies) }

// Validate returns an error unless the correlations can be computed. All harmonics must be below half the rate, and
// trials must be long enough for the number of channels and harmonics.
func (c *correlations) Validate() error {
	switch {
	case len(c.Frequencies) == 0 || c.Harmonics < 1:
		return errors.New("correlations need at least one frequency and one harmonic")
	case !vec.Positive(c.Rate):
		return fmt.Errorf("correlations: the sampling rate is %g Hz; it must be positive and finite", c.Rate)
	case c.Channels < 1 || c.Samples < 2 || c.Harmonics > c.Samples:
		return fmt.Errorf("correlations: there are %d channels of %d samples with %d harmonics; at least one channel "+
			"and two samples are needed, and no more harmonics than samples", c.Channels, c.Samples, c.Harmonics)
	case c.Samples <= c.Channels+2*c.Harmonics:
		return fmt.Errorf("trials of %d samples correlate perfectly with any oscillation, because %d channels and %d "+
			"harmonics need more than %d samples; use longer trials",
			c.Samples, c.Channels, c.Harmonics, c.Channels+2*c.Harmonics)
	}
	for _, f := range c.Frequencies {
		if top := f * float64(c.Harmonics); !(f > 0) || !(top < c.Rate/2) {
			return fmt.Errorf("a frequency of %g Hz has its harmonic %d at %g Hz; harmonics must be above 0 and below "+
				"%g Hz, half the sampling rate", f, c.Harmonics, top, c.Rate/2)
		}
	}
	return nil
}

// Features writes the correlations of every trial (a row of x) to the corresponding row of dst. dst is resized if it is
// empty. It returns an error for trials of the wrong length, and for trials that are constant or not finite. The cost
// is samples·channels² operations per trial, and samples·channels·harmonics per trial and frequency.
func (c *correlations) Features(dst *mat.Dense, x mat.Matrix) error {
	count, width := x.Dims()
	if in, _ := c.Dims(); width != in {
		return fmt.Errorf("the trials have %s; they must have %s of %s", text.Plural(width, "value", "values"),
			text.Plural(c.Channels, "channel", "channels"), text.Plural(c.Samples, "sample", "samples"))
	}
	if dst.IsEmpty() {
		dst.ReuseAs(count, len(c.Frequencies))
	}
	waves := make([]*mat.Dense, len(c.Frequencies))
	for i, f := range c.Frequencies {
		waves[i] = spanOf(c.oscillations(f))
	}
	return par.Try(count, 1, func(_, k, _ int) error {
		one := mat.NewDense(c.Channels, c.Samples, nil)
		mat.Row(one.RawMatrix().Data, k, x)
		span := spanOf(mat.DenseCopyOf(one.T()))
		if span == nil {
			return fmt.Errorf("trial %d is constant, or has values that are not finite; leave it out", k)
		}
		for i, wave := range waves {
			var between mat.Dense
			between.Mul(span.T(), wave)
			var svd mat.SVD
			if !svd.Factorize(&between, mat.SVDNone) {
				return fmt.Errorf("the correlations of trial %d could not be computed; leave the trial out", k)
			}
			dst.Set(k, i, min(1, svd.Values(nil)[0]))
		}
		return nil
	})
}

// oscillations returns the sines and cosines of a frequency, samples × 2·harmonics.
func (c *correlations) oscillations(f float64) *mat.Dense {
	out := mat.NewDense(c.Samples, 2*c.Harmonics, nil)
	for h := range c.Harmonics {
		for s := range c.Samples {
			sin, cos := math.Sincos(2 * math.Pi * float64(h+1) * f * float64(s) / c.Rate)
			out.Set(s, 2*h, sin)
			out.Set(s, 2*h+1, cos)
		}
	}
	return out
}

// spanOf returns an orthonormal basis of the columns of x after subtracting their means. It overwrites x. It returns
// nil if all columns are constant or one is not finite. Directions shorter than a millionth of the longest one are
// rounding errors and are left out, such as the direction that an average reference removes.
func spanOf(x *mat.Dense) *mat.Dense {
	rows, cols := x.Dims()
	for j := range cols {
		mean, size := 0.0, 0.0
		for i := range rows {
			mean += x.At(i, j) / float64(rows)
			size = max(size, math.Abs(x.At(i, j)))
		}
		left := 0.0
		for i := range rows {
			x.Set(i, j, x.At(i, j)-mean)
			left = max(left, math.Abs(x.At(i, j)))
		}
		if !(left > 1e-12*size) { // constant up to rounding
			for i := range rows {
				x.Set(i, j, 0)
			}
		}
		if !(size <= math.MaxFloat64) {
			return nil
		}
	}
	basis, _ := orth.Range(x, cols, 1e-6)
	return basis
}
