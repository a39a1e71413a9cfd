package covstream

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rao/internal/dsp"
	"rao/internal/optionvalues"
	"rao/recipe"
)

// IsZero reports whether a preparation does nothing.
func IsZero(p recipe.Preparation) bool {
	return !p.Interpolate && len(p.Reference) == 0 && len(p.Notch) == 0 && p.Rate == 0
}

// ReferenceName returns the reference of a preparation in the form used in recipes.
func ReferenceName(p recipe.Preparation) string { return strings.Join(p.Reference, ",") }

// AverageReference reports whether the reference is the mean of all channels.
func AverageReference(p recipe.Preparation) bool {
	return ReferenceName(p) == optionvalues.AverageReference
}

// Describe records the steps of a preparation in a recipe. from is the sampling rate of the recording in
// hertz.
func Describe(p recipe.Preparation, s *recipe.Signal, from float64) {
	s.Subtracted, s.Notch = slices.Clone(p.Reference), slices.Clone(p.Notch)
	if len(p.Reference) > 0 {
		s.Reference = ReferenceName(p)
	}
	s.Resampled = p.Rate != 0 && p.Rate != from
}

// preparer applies a [recipe.Preparation] to a stream, sample by sample.
type preparer struct {
	channels int     // number of output channels
	rate     float64 // output rate
	keep     []int   // incoming channels to keep
	mean     []int   // incoming channels whose mean is subtracted
	notch    *dsp.State
	resample *dsp.ResampleState
	row, out []float64
}

// newPreparer returns the preparer for a stream with the given number of channels and rate. The last channels must be
// the reference channels. It returns nil if there is nothing to do.
func newPreparer(p recipe.Preparation, channels int, rate float64) (*preparer, error) {
	if p.Interpolate {
		return nil, errors.New("a stream does not mark bad channels, so they cannot be interpolated; fit the model " +
			"without interpolation")
	}
	if IsZero(p) {
		return nil, nil
	}
	s := &preparer{rate: rate}
	for c := range channels {
		refers := !AverageReference(p) && c >= channels-len(p.Reference)
		if AverageReference(p) || refers {
			s.mean = append(s.mean, c)
		}
		if !refers {
			s.keep = append(s.keep, c)
		}
	}
	if s.channels = len(s.keep); s.channels == 0 {
		return nil, fmt.Errorf("no channel of the stream (%d in all) is left after the reference %s; use another "+
			"reference", channels, ReferenceName(p))
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
		s.notch.Process(s.row, s.row)
	}
	if s.resample == nil {
		return s.row
	}
	s.out = s.resample.Push(s.out[:0], s.row)
	return s.out
}
