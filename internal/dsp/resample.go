package dsp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Resampler changes the sampling rate by a ratio of integers. It uses an FIR low-pass filter: a sinc function with 10
// zeros on either side and a Kaiser window with β = 5, the default of scipy.signal.resample_poly.
type Resampler struct {
	Up, Down int
	taps     []float64
	half     int // number of taps before the middle one
}

// maxRatio limits the numerator and the denominator of the ratio.
const maxRatio = 1000

// NewResampler returns a resampler from one rate to another, in hertz. It returns an error if from/to is not a ratio of
// integers up to 1000.
func NewResampler(from, to float64) (*Resampler, error) {
	if !vec.Positive(from) || !vec.Positive(to) {
		return nil, fmt.Errorf("resampling is from %g to %g Hz; both rates must be positive and finite", from, to)
	}
	for down := 1; down <= maxRatio; down++ {
		up := math.Round(to / from * float64(down))
		if up >= 1 && up <= maxRatio && math.Abs(up/float64(down)/(to/from)-1) < 1e-9 {
			r := &Resampler{Up: int(up), Down: down}
			r.design()
			return r, nil
		}
	}
	return nil, fmt.Errorf("the ratio of %g Hz to %g Hz is not a ratio of integers up to %d; use a rate that divides "+
		"the "+
		"rate of the recording", to, from, maxRatio)
}

func (r *Resampler) design() {
	if r.Up == r.Down {
		r.taps = []float64{1}
		return
	}
	longest := max(r.Up, r.Down)
	r.half = 10 * longest
	r.taps = make([]float64, 2*r.half+1)
	var sum float64
	for i := range r.taps {
		t := float64(i - r.half)
		x := math.Pi * t / float64(longest)
		sinc := 1.0
		if t != 0 {
			sinc = math.Sin(x) / x
		}
		edge := t / float64(r.half)
		r.taps[i] = sinc * bessel(5*math.Sqrt(max(0, 1-edge*edge))) / bessel(5)
		sum += r.taps[i]
	}
	for i := range r.taps {
		r.taps[i] *= float64(r.Up) / sum
	}
}

// bessel returns the modified Bessel function of the first kind of order 0, from its series.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-18*sum; k++ {
		term *= (x / 2) / k * (x / 2) / k
		sum += term
	}
	return sum
}

// Len returns the number of output samples for n input samples.
func (r *Resampler) Len(n int) int { return (n*r.Up + r.Down - 1) / r.Down }

// ZeroPhase resamples src (samples×channels) without delay, and returns [Resampler.Len] samples. Both ends are
// extended along the line from the first to the last sample, as with padtype "line" of resample_poly. Channels are
// processed in parallel. It panics with mat.ErrShape if src does not consist of complete samples.
func (r *Resampler) ZeroPhase(src []float64, channels int) []float64 {
	if channels < 1 || len(src)%channels != 0 {
		panic(mat.ErrShape)
	}
	n := len(src) / channels
	m := r.Len(n)
	dst := make([]float64, m*channels)
	if n == 0 {
		return dst
	}
	par.For(channels, 1, func(_, lo, hi int) {
		pad := len(r.taps)/r.Up + 1
		x := make([]float64, n+2*pad)
		for c := lo; c < hi; c++ {
			first, last := src[c], src[(n-1)*channels+c]
			slope := (last - first) / float64(max(1, n-1))
			for k := range x {
				switch k -= pad; {
				case k < 0:
					x[k+pad] = first + slope*float64(k)
				case k >= n:
					x[k+pad] = last + slope*float64(k-n+1)
				default:
					x[k+pad] = src[k*channels+c]
				}
			}
			for k := range m {
				dst[k*channels+c] = r.at(x, pad, k*r.Down+r.half)
			}
		}
	})
	return dst
}

// at returns the filtered signal at position p, where Up-1 zeros are inserted after each sample. x starts with pad
// samples of padding, and position 0 is the first sample after the padding.
func (r *Resampler) at(x []float64, pad, p int) float64 {
	var y float64
	newest := p / r.Up
	for j, tap := newest, p-newest*r.Up; tap < len(r.taps); j, tap = j-1, tap+r.Up {
		y += r.taps[tap] * x[j+pad]
	}
	return y
}

// ResampleState resamples a stream causally, with a delay of half the length of the low-pass filter. It is not safe
// for concurrent use.
type ResampleState struct {
	r        *Resampler
	channels int
	past     []float64 // last span samples, each stored twice so they are contiguous
	origin   []float64 // first sample; the signal before it is assumed to have the same value
	span     int
	seen     int64 // number of input samples
	next     int64 // position of the next output sample, in units of 1/Up of an input sample
}

// NewState returns the initial state for a stream with the given number of channels.
func (r *Resampler) NewState(channels int) *ResampleState {
	span := len(r.taps)/r.Up + 1
	return &ResampleState{r: r, channels: channels, span: span, past: make([]float64, 2*span*channels),
		origin: make([]float64, channels)}
}

// Reset returns to the start of a stream.
func (s *ResampleState) Reset() {
	clear(s.past)
	s.seen, s.next = 0, 0
}

// Push processes one sample and appends the output samples that are complete to dst.
func (s *ResampleState) Push(dst, row []float64) []float64 {
	if s.seen == 0 {
		copy(s.origin, row)
	}
	at := int(s.seen%int64(s.span)) * s.channels
	for c, v := range row[:s.channels] {
		s.past[at+c] = v - s.origin[c]
		s.past[at+s.span*s.channels+c] = v - s.origin[c]
	}
	s.seen++
	up, down := int64(s.r.Up), int64(s.r.Down)
	for ; s.next < s.seen*up; s.next += down {
		phase := int(s.next - (s.seen-1)*up) // taps phase, phase+Up, ... apply to the newest samples in turn
		newest := at + s.span*s.channels
		for c := range s.channels {
			y := s.origin[c]
			for j, p := 0, phase; p < len(s.r.taps); j, p = j+1, p+s.r.Up {
				y += s.r.taps[p] * s.past[newest-j*s.channels+c]
			}
			dst = append(dst, y)
		}
	}
	return dst
}

// Causal resamples a complete signal in the same way as a stream. It panics with mat.ErrShape if src does not consist
// of complete samples.
func (r *Resampler) Causal(src []float64, channels int) []float64 {
	if channels < 1 || len(src)%channels != 0 {
		panic(mat.ErrShape)
	}
	s := r.NewState(channels)
	dst := make([]float64, 0, r.Len(len(src)/channels)*channels)
	for k := 0; k < len(src); k += channels {
		dst = s.Push(dst, src[k:k+channels])
	}
	return dst
}
