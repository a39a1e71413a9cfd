package stream

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rao/internal/dsp"
	"rao/recipe"
)

// Preparation lists the steps before band-pass filtering and cutting trials, in this order: bad channels, reference,
// notch, rate. The zero value does nothing.
type Preparation struct {
	// Interpolate replaces channels marked as bad in the recording. It is not available for streams.
	Interpolate bool
	// Reference is "average", or the names of reference channels, whose mean is subtracted from the others before they
	// are dropped. nil keeps the reference of the recording. The average reference makes covariances singular: use
	// shrinkage.
	Reference []string
	// Notch lists frequencies in hertz to remove, each with a bandwidth of a thirtieth of the frequency.
	Notch []float64
	// Rate is the output sampling rate in hertz; 0 keeps the rate of the recording. The ratio of the two must be a
	// fraction of integers up to 1000.
	Rate float64
	// Causal filters forward only, as a live decoder must. Resampling then adds a delay of ten samples of the lower
	// rate.
	Causal bool
}

// IsZero reports whether there is no step.
func (p Preparation) IsZero() bool {
	return !p.Interpolate && len(p.Reference) == 0 && len(p.Notch) == 0 && p.Rate == 0
}

// ReferenceName returns the reference as written in a recipe.
func (p Preparation) ReferenceName() string { return strings.Join(p.Reference, ",") }

// Average reports whether the reference is the mean of all channels.
func (p Preparation) Average() bool { return p.ReferenceName() == recipe.AverageReference }

// Describe records the steps in a recipe; from is the rate of the recording.
func (p Preparation) Describe(s *recipe.Signal, from float64) {
	s.Subtracted, s.Notch = slices.Clone(p.Reference), slices.Clone(p.Notch)
	if len(p.Reference) > 0 {
		s.Reference = p.ReferenceName()
	}
	s.Resampled = p.Rate != 0 && p.Rate != from
}

// preparer does a Preparation to a stream, sample by sample.
type preparer struct {
	channels int     // that come out
	rate     float64 // of what comes out
	keep     []int
	mean     []int
	notch    *dsp.State
	resample *dsp.ResampleState
	fresh    bool
	row, out []float64
}

// stream returns the preparer of a stream of the given channels, the last of which are
// those of the reference, and rate; nil when nothing is done.
func (p Preparation) live(channels int, rate float64) (*preparer, error) {
	if p.Interpolate {
		return nil, errors.New("a stream does not tell which of its channels are bad: none can be interpolated")
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
		return nil, fmt.Errorf("a stream of %d channels: none is left after the reference %s", channels,
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

// reset goes back to the start of a stream.
func (s *preparer) reset() {
	s.fresh = true
	if s.notch != nil {
		s.notch.Reset()
	}
	if s.resample != nil {
		s.resample.Reset()
	}
}

// push takes a sample and returns those that it gives, valid until the next call.
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
