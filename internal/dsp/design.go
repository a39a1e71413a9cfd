// Package dsp filters sampled signals with Butterworth filters, as second-order sections. Filters run causally, with a
// state that continues from block to block, or forward and backward with zero phase.
//
//	f, err := dsp.Butterworth(dsp.BandPass, 5, 250, 8, 30)
//	err = f.ZeroPhase(dst, src, channels)       // a complete recording
//	state := f.NewState(channels)                // or a stream
//	state.Process(block, block)
//
// Signals are samples×channels, row-major: the channels of one sample are next to each other. Designs and results agree
// with butter, sosfilt and sosfiltfilt in scipy.signal.
package dsp

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"rao/internal/linalg/vec"
)

// Kind selects the frequencies that a filter passes.
type Kind int

// These are the kinds of filters.
const (
	BandPass Kind = iota // between two edges
	LowPass              // below one edge
	HighPass             // above one edge
	BandStop             // outside two edges
)

var kindNames = [...]string{"band-pass", "low-pass", "high-pass", "band-stop"}

// String returns the name of the kind, such as "band-pass".
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("kind(%d)", int(k))
	}
	return kindNames[k]
}

// Section is a second-order filter,
//
//	H(z) = (B0 + B1 z⁻¹ + B2 z⁻²) / (1 + A1 z⁻¹ + A2 z⁻²).
type Section struct{ B0, B1, B2, A1, A2 float64 }

// Filter is a series of sections, applied in order.
type Filter struct{ Sections []Section }

// MaxOrder is the highest order that [Butterworth] accepts.
const MaxOrder = 20

// Butterworth designs a digital Butterworth filter by the bilinear transform, with exact edges. order is the order of
// the low-pass prototype: a band-pass of order 5 has ten poles. rate is in samples per second. Edges are in hertz,
// ascending, strictly between 0 and rate/2: two for band-pass and band-stop, one for low-pass and high-pass. The gain
// at an edge is 1/√2. It returns an error for an order, rate or edge out of range.
//
// All zeros of a Butterworth filter are at ±1, or at the center of the stop band. Every conjugate pair of poles
// therefore gives a section, and no high-order polynomial is computed. Sections with poles near the unit circle come
// last. The gain of each section is one at the reference frequency of the band.
func Butterworth(kind Kind, order int, rate float64, edges ...float64) (*Filter, error) {
	if err := checkDesign(kind, order, rate, edges); err != nil {
		return nil, err
	}
	warp := func(f float64) float64 { return math.Tan(math.Pi * f / rate) }
	low := warp(edges[0])
	high := warp(edges[len(edges)-1])
	d := design{kind: kind, cut: low, width: high - low, center2: low * high}
	for k := range (order + 1) / 2 {
		// The poles of the prototype in the upper half-plane, with the real pole last.
		angle := math.Pi * float64(2*k+1) / float64(2*order)
		p := complex(-math.Sin(angle), math.Cos(angle))
		if 2*k+1 == order {
			p = -1
		}
		d.pole(p)
	}
	slices.SortStableFunc(d.sections, func(a, b Section) int { return cmp.Compare(a.radius(), b.radius()) })
	return &Filter{Sections: d.sections}, nil
}

func checkDesign(kind Kind, order int, rate float64, edges []float64) error {
	want := 1
	switch kind {
	case BandPass, BandStop:
		want = 2
	case LowPass, HighPass:
	default:
		return fmt.Errorf("the kind of filter %v is unknown", kind)
	}
	switch {
	case order < 1 || order > MaxOrder:
		return fmt.Errorf("the filter order is %d; it must be between 1 and %d, such as 5", order, MaxOrder)
	case !vec.Positive(rate):
		return fmt.Errorf("the sampling rate is %g Hz; it must be positive and finite", rate)
	case len(edges) != want:
		return fmt.Errorf("the number of band edges is %d, but a %v filter needs %d", len(edges), kind, want)
	}
	for i, e := range edges {
		if !(e > 0 && e < rate/2) {
			return fmt.Errorf("the band edge is %g Hz; it must be above 0 and below half the sampling rate (%g Hz)", e,
				rate/2)
		}
		if i > 0 && e <= edges[0] {
			return fmt.Errorf("the band is from %g to %g Hz; give the lower edge first", edges[0], e)
		}
	}
	return nil
}

// design converts poles of the low-pass prototype to sections.
type design struct {
	kind     Kind
	cut      float64 // warped edge of a low-pass or high-pass
	width    float64 // warped width of a band
	center2  float64 // square of the warped center of a band
	sections []Section
}

// pole adds the sections for the prototype's pole p and its conjugate.
func (d *design) pole(p complex128) {
	switch d.kind {
	case LowPass:
		d.add(p*complex(d.cut, 0), 0, imag(p) != 0)
	case HighPass:
		d.add(complex(d.cut, 0)/p, 0, imag(p) != 0)
	default:
		h := complex(d.width/2, 0) * p
		if d.kind == BandStop {
			h = complex(d.width/2, 0) / p
		}
		root := cmplx.Sqrt(h*h - complex(d.center2, 0))
		if real(h)*real(root)+imag(h)*imag(root) < 0 {
			root = -root
		}
		s := h + root // the larger root; t is the smaller one, computed without cancellation
		t := complex(d.center2, 0) / s
		switch {
		case imag(p) != 0:
			d.add(s, 0, true)
			d.add(t, 0, true)
		case imag(s) != 0: // a real pole becomes a conjugate pair
			d.add(s, 0, true)
		default: // in a wide band a real pole becomes two real poles
			d.add(s, t, false)
		}
	}
}

// add appends a section for the analog pole s. If pair is true, the section also has the conjugate of s. Otherwise, if
// other is not zero, it also has the real pole other. Otherwise it is of first order.
func (d *design) add(s, other complex128, pair bool) {
	z := (1 + s) / (1 - s)
	var sec Section
	var poles []complex128
	switch {
	case pair:
		sec.A1, sec.A2 = -2*real(z), real(z)*real(z)+imag(z)*imag(z)
		poles = []complex128{z, cmplx.Conj(z)}
	case other != 0:
		y := (1 + other) / (1 - other)
		sec.A1, sec.A2 = -real(z)-real(y), real(z)*real(y)
		poles = []complex128{z, y}
	default:
		sec.A1 = -real(z)
		poles = []complex128{z}
	}
	zeros, at := d.zeros(len(poles))
	// The gain at the reference frequency, computed from the factors to avoid cancellation.
	gain := complex(1, 0)
	for i := range poles {
		gain *= (at - poles[i]) / (at - zeros[i])
	}
	b := cmplx.Abs(gain)
	sec.B0 = b
	if len(poles) == 1 {
		sec.B1 = -b * real(zeros[0])
	} else {
		sec.B1 = -b * real(zeros[0]+zeros[1])
		sec.B2 = b * real(zeros[0]*zeros[1])
	}
	d.sections = append(d.sections, sec)
}

// zeros returns the zeros of a section with n poles, and the point on the unit circle at which the gain is one.
func (d *design) zeros(n int) (zeros []complex128, at complex128) {
	switch d.kind {
	case LowPass:
		return []complex128{-1, -1}[:n], 1
	case HighPass:
		return []complex128{1, 1}[:n], -1
	}
	w := math.Sqrt(d.center2)
	c := complex((1-d.center2)/(1+d.center2), 2*w/(1+d.center2))
	if d.kind == BandPass {
		return []complex128{1, -1}, c
	}
	return []complex128{c, cmplx.Conj(c)}, 1
}

// radius returns the largest modulus among the section's poles.
func (s Section) radius() float64 {
	disc := s.A1*s.A1/4 - s.A2
	if disc <= 0 {
		return math.Sqrt(s.A2)
	}
	return math.Abs(s.A1)/2 + math.Sqrt(disc)
}

// Band returns the Butterworth filter for a frequency band in hertz. If low is 0, it passes everything below high; if
// high is 0, it passes everything above low. It returns an error if both are 0, and the errors of [Butterworth].
func Band(low, high float64, order int, rate float64) (*Filter, error) {
	switch {
	case low == 0 && high == 0:
		return nil, errors.New("the band 0-0 passes no frequency; give at least one edge in hertz")
	case low == 0:
		return Butterworth(LowPass, order, rate, high)
	case high == 0:
		return Butterworth(HighPass, order, rate, low)
	}
	return Butterworth(BandPass, order, rate, low, high)
}
