package eeg

import (
	"errors"
	"fmt"

	"rao/internal/dsp"
)

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
func (p Preparation) stream(channels int, rate float64) (*preparer, error) {
	if p.Interpolate {
		return nil, errors.New("a stream does not tell which of its channels are bad: none can be interpolated")
	}
	if p.IsZero() {
		return nil, nil
	}
	s := &preparer{rate: rate, fresh: true}
	for c := range channels {
		refers := !p.average() && c >= channels-len(p.Reference)
		if p.average() || refers {
			s.mean = append(s.mean, c)
		}
		if !refers {
			s.keep = append(s.keep, c)
		}
	}
	if s.channels = len(s.keep); s.channels == 0 {
		return nil, fmt.Errorf("a stream of %d channels: none is left beside the reference %s", channels, p.reference())
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
	reRefer(s.row, row, s.keep, s.mean)
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
