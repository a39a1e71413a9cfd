package eeg

import (
	"fmt"
	"math"
	"slices"

	"rao/internal/covstream"
	"rao/internal/dsp"
	"rao/internal/eeg/format/signal"
	"rao/internal/indices"
	"rao/recipe"
)

// withPreparation returns the recording with the preparation applied. All samples are computed on first access and kept
// in memory: 8 bytes per sample and channel. Samples that are not finite are interpolated linearly before filtering,
// and trials that contain them are invalid. Events and breaks are converted to the new rate. Closing the result closes
// the original recording. It returns an error if a reference channel does not exist, the reference leaves no channel, a
// filter or the new rate is impossible, or a bad channel cannot be interpolated. If p is the zero value, it returns r.
func (r *Recording) withPreparation(p recipe.Preparation) (*Recording, error) {
	if covstream.IsZero(p) {
		return r, nil
	}
	steps, err := r.plan(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Source, err)
	}
	out := *r
	out.data, out.keep, out.rescale = nil, nil, nil
	out.Channels, out.Units = indices.Pick(r.Channels, steps.keep), indices.Pick(r.Units, steps.keep)
	out.Types, out.Positions = indices.Pick(r.Types, steps.keep), indices.Pick(r.Positions, steps.keep)
	if p.Interpolate {
		out.Bad = nil
	}
	out.prepared = &p
	if len(p.Reference) > 0 {
		out.Reference, out.AverageDue = covstream.ReferenceName(p), false
	}
	if steps.resample != nil {
		out.Rate = p.Rate
		steps.move(&out)
	}
	out.reader = steps
	steps.info = signal.Info{Format: r.Format, Channels: out.Channels, Rate: out.Rate, Samples: out.samples}
	return &out, nil
}

// preparing computes the samples of a prepared recording.
type preparing struct {
	info     signal.Info
	from     *Recording
	p        recipe.Preparation
	keep     []int // channels of the original recording in the output
	mean     []int // channels of the original recording that make up the reference; nil if it does not change
	bad      *interpolation
	notch    *dsp.Filter
	resample *dsp.Resampler
	data     []float64
}

// plan checks a preparation and designs its filters.
func (r *Recording) plan(p recipe.Preparation) (*preparing, error) {
	s := &preparing{from: r, p: p}
	var err error
	if p.Interpolate && len(r.Bad) > 0 {
		if s.bad, err = r.interpolation(); err != nil {
			return nil, err
		}
	}
	for c, name := range r.Channels {
		refers := slices.Contains(p.Reference, name)
		if covstream.AverageReference(p) || refers {
			s.mean = append(s.mean, c)
		}
		if covstream.AverageReference(p) || !refers {
			s.keep = append(s.keep, c)
		}
	}
	if !covstream.AverageReference(p) {
		for _, name := range p.Reference {
			if !slices.Contains(r.Channels, name) {
				return nil, r.unknownChannel(name)
			}
		}
	}
	if len(s.keep) == 0 || covstream.AverageReference(p) && len(s.keep) < 2 {
		return nil, fmt.Errorf("no channel is left with %s as the reference; choose a reference of fewer "+
			"channels", covstream.ReferenceName(p))
	}
	if len(p.Notch) > 0 {
		if s.notch, err = dsp.Notch(r.Rate, p.Notch...); err != nil {
			return nil, err
		}
	}
	if p.Rate != 0 && p.Rate != r.Rate {
		s.resample, err = dsp.NewResampler(r.Rate, p.Rate)
	}
	return s, err
}

// move converts the length, events and breaks of out to the new rate.
func (s *preparing) move(out *Recording) {
	old := append(slices.DeleteFunc(slices.Clone(s.from.Breaks), func(b int) bool {
		return b <= 0 || b >= s.from.samples
	}), s.from.samples)
	starts := []int{0} // first sample of each piece, at the new rate
	for i, end := range old {
		begin := 0
		if i > 0 {
			begin = old[i-1]
		}
		starts = append(starts, starts[i]+s.resample.Len(end-begin))
	}
	ratio := float64(s.resample.Up) / float64(s.resample.Down)
	place := func(k int) int {
		i := 0
		for i < len(old)-1 && k >= old[i] {
			i++
		}
		begin := 0
		if i > 0 {
			begin = old[i-1]
		}
		return starts[i] + int(math.RoundToEven(float64(k-begin)*ratio))
	}
	out.samples, out.Breaks = starts[len(starts)-1], starts[1:len(starts)-1]
	out.Events = slices.Clone(out.Events)
	for i := range out.Events {
		e := &out.Events[i]
		e.Sample, e.Duration = place(e.Sample), int(math.RoundToEven(float64(e.Duration)*ratio))
	}
}

// Info implements [signal.Reader].
func (s *preparing) Info() *signal.Info { return &s.info }

// Close implements [signal.Reader].
func (s *preparing) Close() error { return s.from.Close() }

// release frees the samples. They are computed again when needed.
func (s *preparing) release() { s.data = nil }

// ReadSamples implements [signal.Reader].
func (s *preparing) ReadSamples(dst []float64, first, count int) error {
	if err := s.info.CheckRange(dst, first, count); err != nil {
		return err
	}
	if s.data == nil {
		if err := s.compute(); err != nil {
			return err
		}
	}
	c := len(s.keep)
	copy(dst, s.data[first*c:(first+count)*c])
	return nil
}

// compute prepares the complete signal. If a filter runs, values that are not finite are interpolated for it and set
// to NaN again in the output.
func (s *preparing) compute() error {
	all, n := len(s.from.Channels), s.from.samples
	x := make([]float64, n*all)
	if err := s.from.Read(x, 0, n); err != nil {
		return err
	}
	s.bad.apply(x, all)
	c := len(s.keep)
	y := make([]float64, n*c)
	for k := range n {
		dsp.Rereference(y[k*c:(k+1)*c], x[k*all:(k+1)*all], s.keep, s.mean)
	}
	if s.notch == nil && s.resample == nil {
		s.data = y
		return nil
	}
	gaps, err := bridge(y, s.info.Channels)
	if err != nil {
		return fmt.Errorf("%s: %w", s.from.Source, err)
	}
	piece := Recording{Channels: s.info.Channels, Breaks: s.from.Breaks, samples: n, data: y}
	var out []float64
	for _, p := range piece.betweenBreaks() {
		if s.notch != nil {
			if err := filter(s.notch, s.p.Causal, p, c); err != nil {
				return fmt.Errorf("%s: %w", s.from.Source, err)
			}
		}
		switch {
		case s.resample == nil:
			out = append(out, p...)
		case s.p.Causal:
			out = append(out, s.resample.Causal(p, c)...)
		default:
			out = append(out, s.resample.ZeroPhase(p, c)...)
		}
	}
	s.blank(out, gaps)
	s.data = out
	return nil
}

// blank sets samples to NaN if they were missing before the filters ran.
func (s *preparing) blank(out []float64, gaps [][2]int) {
	c, ratio := len(s.keep), s.info.Rate/s.from.Rate
	for _, g := range gaps {
		last := min(len(out)/c, int(math.Ceil(float64(g[1])*ratio))+1)
		for k := int(float64(g[0]) * ratio); k < last; k++ {
			for i := range c {
				out[k*c+i] = math.NaN()
			}
		}
	}
}

func filter(f *dsp.Filter, causal bool, x []float64, channels int) error {
	if !causal {
		return f.ZeroPhase(x, x, channels)
	}
	f.NewState(channels).Process(x, x)
	return nil
}
