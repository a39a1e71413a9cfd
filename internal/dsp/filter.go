package dsp

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/internal/par"
	"rao/internal/text"
)

// State is the state of a filter within a signal. The signal can be processed in blocks of any length; the output does
// not depend on the lengths. It is not safe for concurrent use.
type State struct {
	sections []Section
	channels int
	z        []float64 // sections×2×channels: the delay elements of each section
	settled  bool
}

// NewState returns the initial state for signals with the given number of channels. The first sample then settles it;
// see [State.Settle]. It panics if channels < 1.
func (f *Filter) NewState(channels int) *State {
	if channels < 1 {
		panic("dsp: the number of channels is below 1")
	}
	return &State{sections: f.Sections, channels: channels, z: make([]float64, 2*channels*len(f.Sections))}
}

// Reset returns to the initial state.
func (s *State) Reset() { s.settled = false }

// Settle sets the state as if the signal had always had the values in first, one per channel. A recording with a
// large offset then starts without a transient. It panics with mat.ErrShape if first has the wrong length.
func (s *State) Settle(first []float64) {
	if len(first) != s.channels {
		panic(mat.ErrShape)
	}
	s.settled = true
	scale := 1.0
	for k, c := range s.sections {
		gain := (c.B0 + c.B1 + c.B2) / (1 + c.A1 + c.A2)
		z1 := c.B2 - c.A2*gain
		z0 := c.B1 - c.A1*gain + z1
		d0, d1 := s.delays(k)
		for i, v := range first {
			d0[i], d1[i] = scale*z0*v, scale*z1*v
		}
		scale *= gain
	}
}

func (s *State) delays(k int) (d0, d1 []float64) {
	z := s.z[2*k*s.channels : 2*(k+1)*s.channels]
	return z[:s.channels], z[s.channels:]
}

// Process filters the block src (samples×channels) into dst, which may be src. It panics with mat.ErrShape if the
// lengths differ or the block does not consist of complete samples. It does not allocate memory.
func (s *State) Process(dst, src []float64) {
	if len(dst) != len(src) || len(src)%s.channels != 0 {
		panic(mat.ErrShape)
	}
	copy(dst, src)
	if !s.settled && len(dst) > 0 {
		s.Settle(dst[:s.channels])
	}
	for t := 0; t < len(dst); t += s.channels {
		row := dst[t : t+s.channels]
		for k := range s.sections {
			c := &s.sections[k]
			d0, d1 := s.delays(k)
			d0, d1 = d0[:len(row)], d1[:len(row)]
			for i, x := range row {
				y := c.B0*x + d0[i]
				d0[i] = c.B1*x - c.A1*y + d1[i]
				d1[i] = c.B2*x - c.A2*y
				row[i] = y
			}
		}
	}
}

// Padding returns the number of samples by which ZeroPhase extends a signal at both ends. A signal must have more
// samples than this.
func (f *Filter) Padding() int {
	taps := 2*len(f.Sections) + 1
	for _, s := range f.Sections {
		if s.B2 == 0 && s.A2 == 0 {
			taps--
		}
	}
	return 3 * taps
}

// ZeroPhase filters src (samples×channels) forward and backward into dst, which may be src. There is no phase shift,
// and the gain is squared. Both ends are extended by Padding samples with odd reflection, and the filter starts
// settled, as in scipy.signal.sosfiltfilt. It returns an error if the signal is not longer than Padding samples.
// Channels are processed in parallel. It panics with mat.ErrShape if the lengths differ or src does not consist of
// complete samples.
func (f *Filter) ZeroPhase(dst, src []float64, channels int) error {
	if channels < 1 || len(dst) != len(src) || len(src)%channels != 0 {
		panic(mat.ErrShape)
	}
	n, pad := len(src)/channels, f.Padding()
	if n <= pad {
		return fmt.Errorf("a signal of %s is too short for a zero-phase filter of %s, which needs more than %s; "+
			"lower the order, filter before cutting epochs, or filter causally", text.Plural(n, "sample", "samples"),
			text.Plural(len(f.Sections), "section", "sections"), text.Plural(pad, "sample", "samples"))
	}
	const group = 4
	par.For(channels, group, func(_, lo, hi int) {
		w := hi - lo
		buf := make([]float64, (n+2*pad)*w)
		extend(buf, src, channels, lo, hi, pad)
		state := f.NewState(w)
		for range 2 {
			state.Reset()
			state.Process(buf, buf)
			reverse(buf, w)
		}
		for t := range n {
			copy(dst[t*channels+lo:t*channels+hi], buf[(t+pad)*w:])
		}
	})
	return nil
}

// extend copies channels lo to hi-1 of src to buf, with odd extensions of pad samples at both ends.
func extend(buf, src []float64, channels, lo, hi, pad int) {
	n, w := len(src)/channels, hi-lo
	for t := range n + 2*pad {
		row := buf[t*w : (t+1)*w]
		for i := range row {
			at := func(k int) float64 { return src[k*channels+lo+i] }
			switch k := t - pad; {
			case k < 0:
				row[i] = 2*at(0) - at(-k)
			case k >= n:
				row[i] = 2*at(n-1) - at(2*(n-1)-k)
			default:
				row[i] = at(k)
			}
		}
	}
}

// reverse reverses the order of the samples, which have w values each.
func reverse(buf []float64, w int) {
	for a, b := 0, len(buf)-w; a < b; a, b = a+w, b-w {
		for i := range w {
			buf[a+i], buf[b+i] = buf[b+i], buf[a+i]
		}
	}
}

// Rereference sets dst to the channels of a sample in keep, and, unless mean is empty, subtracts the mean of the
// channels in mean.
func Rereference(dst, row []float64, keep, mean []int) {
	var m float64
	for _, c := range mean {
		m += row[c]
	}
	if len(mean) > 0 {
		m /= float64(len(mean))
	}
	for i, c := range keep {
		dst[i] = row[c] - m
	}
}
