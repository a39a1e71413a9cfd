package stream

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rao/internal/dsp"
	"rao/recipe"
)

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

// IsZero reports whether the preparation does nothing.
func (p Preparation) IsZero() bool {
	return !p.Interpolate && len(p.Reference) == 0 && len(p.Notch) == 0 && p.Rate == 0
}

// ReferenceName returns the reference in the form used in recipes.
func (p Preparation) ReferenceName() string { return strings.Join(p.Reference, ",") }

// Average reports whether the reference is the mean of all channels.
func (p Preparation) Average() bool { return p.ReferenceName() == recipe.AverageReference }

// Describe records the steps in a recipe. from is the rate of the recording.
func (p Preparation) Describe(s *recipe.Signal, from float64) {
	s.Subtracted, s.Notch = slices.Clone(p.Reference), slices.Clone(p.Notch)
	if len(p.Reference) > 0 {
		s.Reference = p.ReferenceName()
	}
	s.Resampled = p.Rate != 0 && p.Rate != from
}

// preparer applies a [Preparation] to a stream, sample by sample.
type preparer struct {
	channels int     // number of output channels
	rate     float64 // output rate
	keep     []int
	mean     []int
	notch    *dsp.State
	resample *dsp.ResampleState
	fresh    bool
	row, out []float64
}

// live returns the preparer for a stream with the given number of channels and rate. The last channels must be the
// reference channels. It returns nil if there is nothing to do.
func (p Preparation) live(channels int, rate float64) (*preparer, error) {
	if p.Interpolate {
		return nil, errors.New("a stream does not mark bad channels, so they cannot be interpolated; fit the model " +
			"without interpolation")
	}
	if p.IsZero() {
		return nil, nil
	}
	s := &preparer{rate: rate, fresh: true}
	for c := range channels {
		refers := !p.Average() && c >= channels-len(p.Reference)
		if p.Average() || refers {
			s.mean = append(s.mean, c)
		}
		if !refers {
			s.keep = append(s.keep, c)
		}
	}
	if s.channels = len(s.keep); s.channels == 0 {
		return nil, fmt.Errorf("no channel of the stream (%d in all) is left after the reference %s", channels,
			p.ReferenceName())
	}
	s.row = make([]float64, s.channels)
	if len(p.Notch) > 0 {
		f, err := dsp.Notch(rate, p.Notch...)
		if err != nil {
			return nil, err
		}
		s.notch = f.NewState(s.channels)
	}
	if p.Rate != 0 && p.Rate != rate {
		r, err := dsp.NewResampler(rate, p.Rate)
		if err != nil {
			return nil, err
		}
		s.rate, s.resample = p.Rate, r.NewState(s.channels)
	}
	return s, nil
}

// reset returns to the start of a stream.
func (s *preparer) reset() {
	s.fresh = true
	if s.notch != nil {
		s.notch.Reset()
	}
	if s.resample != nil {
		s.resample.Reset()
	}
}

// push processes one sample and returns the resulting samples, which are valid until the next call.
func (s *preparer) push(row []float64) []float64 {
	dsp.Rereference(s.row, row, s.keep, s.mean)
	if s.notch != nil {
		if s.fresh {
			s.notch.Settle(s.row)
			s.fresh = false
		}
		s.notch.Process(s.row, s.row)
	}
	if s.resample == nil {
		return s.row
	}
	s.out = s.resample.Push(s.out[:0], s.row)
	return s.out
}
