package optim

import (
	"math"

	"rao/internal/linalg/vec"
)

// sufficient is the constant of the first Wolfe condition.
const sufficient = 1e-4

// trial is a point on the line, with its value and slope.
type trial struct{ t, f, slope float64 }

// lineSearch finds a step that satisfies the strong Wolfe conditions.
type lineSearch struct {
	p         Problem
	start     trial
	curvature float64
	left      int     // number of evaluations left
	floor     float64 // smaller changes of the value are rounding errors
}

// eval evaluates the function at t. If the value or slope is not finite, it returns an infinite value, which means
// that the step was too long.
func (l *lineSearch) eval(t float64) trial {
	l.left--
	f, s := l.p.Along(t)
	if !vec.Finite(f) || !vec.Finite(s) {
		f, s = math.Inf(1), math.Inf(1)
	}
	return trial{t, f, s}
}

// descends reports whether p satisfies the first Wolfe condition. Near the limit of rounding errors, where only slopes
// are reliable, it uses the approximate condition (Hager and Zhang 2005).
func (l *lineSearch) descends(p trial) bool {
	if p.f <= l.start.f+sufficient*p.t*l.start.slope {
		return true
	}
	return p.f <= l.start.f+l.floor && p.slope <= (2*sufficient-1)*l.start.slope
}

// flat reports whether p satisfies the second strong Wolfe condition.
func (l *lineSearch) flat(p trial) bool {
	return math.Abs(p.slope) <= -l.curvature*l.start.slope
}

// search starts with step t and returns the accepted point. ok is false if the limit on evaluations or the limit of
// rounding errors was reached before the conditions were met. best is then the best point that satisfies the first
// condition, or t = 0 if no point does.
func (l *lineSearch) search(t float64) (best trial, ok bool) {
	previous := l.start
	for l.left > 0 {
		p := l.eval(t)
		switch {
		case math.IsInf(p.f, 1):
			return l.zoom(previous, p)
		case !l.descends(p) || (previous.t > 0 && p.f >= previous.f+l.floor):
			return l.zoom(previous, p)
		case l.flat(p):
			return p, true
		case p.slope >= 0:
			return l.zoom(p, previous)
		}
		next := 2 * t
		if e := cubicMinimum(previous, p); e > t && !math.IsNaN(e) {
			next = math.Min(math.Max(e, 1.5*t), 5*t)
		}
		previous, t = p, next
	}
	return previous, false
}

// zoom narrows the bracket between hi and lo. lo satisfies the first condition and has the lower value.
func (l *lineSearch) zoom(lo, hi trial) (trial, bool) {
	for l.left > 0 {
		width := hi.t - lo.t
		if math.Abs(width) <= 1e-14*math.Max(math.Abs(lo.t), math.Abs(hi.t)) {
			break
		}
		t := lo.t + width/2
		if !math.IsInf(hi.f, 1) {
			if e := cubicMinimum(lo, hi); !math.IsNaN(e) {
				a, b := lo.t+0.1*width, lo.t+0.9*width
				t = math.Min(math.Max(e, math.Min(a, b)), math.Max(a, b))
			}
		}
		p := l.eval(t)
		if !l.descends(p) || p.f > lo.f+l.floor || (p.f >= lo.f && !l.flat(p)) {
			hi = p
			continue
		}
		if l.flat(p) {
			return p, true
		}
		if p.slope*(hi.t-lo.t) >= 0 {
			hi = lo
		}
		lo = p
	}
	return lo, false
}

// cubicMinimum returns the minimizer of the cubic through the values and slopes of a and b (Nocedal and Wright 2006,
// equation 3.59), or NaN if the cubic has no minimum.
func cubicMinimum(a, b trial) float64 {
	d1 := a.slope + b.slope - 3*(a.f-b.f)/(a.t-b.t)
	d2 := math.Sqrt(d1*d1 - a.slope*b.slope)
	if b.t < a.t {
		d2 = -d2
	}
	return b.t - (b.t-a.t)*(b.slope+d2-d1)/(b.slope-a.slope+2*d2)
}
