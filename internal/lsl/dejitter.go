package lsl

import "math"

// dejitter removes the jitter from the times of a regular stream, with the recursive least squares of the reference
// library: it fits a line to the times over the sample numbers, with exponential forgetting. The weight of a sample
// halves every half-time.
//
// With u = (1, n) for sample n, the line w, its inverse information P and the forgetting factor l,
//
//	a  = t - w'u
//	P <- (P - P u u' P / (l + u'P u)) / l
//	w <- w + a P u
//
// and the smoothed time is w'u.
type dejitter struct {
	origin        float64 // subtracted from the times, for precision
	n             float64 // number of samples so far
	w0, w1        float64
	p00, p11, p01 float64
	forget        float64 // forgetting factor; 0 leaves times unchanged
}

// defaultHalftime is the half-time of the reference library, in seconds.
const defaultHalftime = 90

// newDejitter starts at the time of the first sample. If rate is 0, times remain unchanged.
func newDejitter(first, rate, halftime float64) dejitter {
	d := dejitter{origin: math.Floor(first), p00: 1e10, p11: 1e10}
	if rate > 0 {
		d.w1, d.forget = 1/rate, math.Exp2(-1/(rate*halftime))
	}
	return d
}

// push processes the time of the next sample and returns the smoothed time.
func (d *dejitter) push(t float64) float64 {
	if d.forget == 0 {
		return t
	}
	t -= d.origin
	u := d.n
	d.n++
	pu0, pu1 := d.p00+u*d.p01, d.p01+u*d.p11
	miss := t - (d.w0 + u*d.w1)
	gain := 1 / (d.forget + pu0 + pu1*u)
	d.p00 = (d.p00 - pu0*pu0*gain) / d.forget
	d.p01 = (d.p01 - pu0*pu1*gain) / d.forget
	d.p11 = (d.p11 - pu1*pu1*gain) / d.forget
	d.w0 += miss * (d.p00 + d.p01*u)
	d.w1 += miss * (d.p01 + d.p11*u)
	return d.w0 + u*d.w1 + d.origin
}
