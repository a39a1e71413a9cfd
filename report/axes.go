package report

import (
	"fmt"
	"math"
	"strconv"

	"rao/internal/linalg/vec"
)

// scale maps values to pixels, linearly or by their logarithm.
type scale struct {
	lo, hi float64 // values
	a, b   float64 // pixels of lo and hi
	log    bool
}

func (s scale) at(v float64) float64 {
	lo, hi := s.lo, s.hi
	if s.log {
		v, lo, hi = math.Log10(v), math.Log10(lo), math.Log10(hi)
	}
	return s.a + (v-lo)/(hi-lo)*(s.b-s.a)
}

// in reports whether v is finite, inside the limits and, on a logarithmic scale, positive.
func (s scale) in(v float64) bool {
	const slack = 1e-9
	d := (s.hi - s.lo) * slack
	return vec.Finite(v) && v >= s.lo-d && v <= s.hi+d && (!s.log || v > 0)
}

// span is the range of the values seen so far.
type span struct{ lo, hi float64 }

func newSpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(values ...float64) {
	for _, v := range values {
		if vec.Finite(v) {
			s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
		}
	}
}

// padded returns the range extended at both ends by share of its length. An empty range or a single value becomes a
// nonempty range.
func (s span) padded(share float64) (lo, hi float64) {
	if s.lo > s.hi {
		return 0, 1
	}
	d := s.hi - s.lo
	if d <= 1e-12*math.Max(math.Abs(s.lo), math.Abs(s.hi)) {
		d = math.Max(1e-6, 0.1*math.Abs(s.lo))
		return s.lo - d, s.hi + d
	}
	return s.lo - share*d, s.hi + share*d
}

// ticks returns about n round values in [lo, hi] and their labels.
func ticks(lo, hi float64, n int, log bool) (at []float64, labels []string) {
	if log {
		return logTicks(lo, hi, n)
	}
	step := niceStep((hi - lo) / float64(max(n, 1)))
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	if whole := step * math.Pow(10, float64(decimals)); math.Abs(whole-math.Round(whole)) > 1e-6 {
		decimals++ // steps of 2.5, 0.25, ...
	}
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step && len(at) < 50; k++ {
		v := k*step + 0 // +0 turns −0 into 0
		at = append(at, v)
		if math.Abs(hi) >= 1e5 || math.Abs(lo) >= 1e5 || step < 1e-4 {
			labels = append(labels, number(v))
			continue
		}
		s := strconv.FormatFloat(v, 'f', decimals, 64)
		if v == 0 || s == "-0" {
			s = strconv.FormatFloat(0, 'f', decimals, 64)
		}
		labels = append(labels, minus(s))
	}
	return at, labels
}

// minus replaces a hyphen at the start by a minus sign, which is as wide as a plus sign.
func minus(s string) string {
	if len(s) > 0 && s[0] == '-' {
		return "−" + s[1:]
	}
	return s
}

func niceStep(rough float64) float64 {
	if !vec.Positive(rough) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if m*p >= rough*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

func logTicks(lo, hi float64, n int) (at []float64, labels []string) {
	first, last := int(math.Floor(math.Log10(lo)+1e-9)), int(math.Ceil(math.Log10(hi)-1e-9))
	skip := max(1, (last-first+n-1)/max(n, 1))
	steps := []float64{1}
	if hi/lo < 150 {
		steps = []float64{1, 2, 5}
	}
	for e := first; e <= last; e += skip {
		for _, m := range steps {
			v := m * math.Pow(10, float64(e))
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			at = append(at, v)
			if e >= -3 && e <= 4 {
				labels = append(labels, strconv.FormatFloat(v, 'g', 6, 64))
			} else {
				labels = append(labels, fmt.Sprintf("%ge%d", m, e))
			}
		}
	}
	return at, labels
}

// Axis describes one axis of a figure.
type Axis struct {
	Label    string  // text next to the axis
	Log      bool    // logarithmic; nonpositive values are left out
	Percent  bool    // values are fractions, shown in percent
	Min, Max float64 // limits of the axis; if both are zero, they follow from the values

	// Mark is a value at which [Bars] and [Histogram] draw a line, such as the chance level, and MarkLabel is the text
	// at the line. 0 draws no line.
	Mark      float64
	MarkLabel string
}

// frame is the plotting area of a figure with two axes.
type frame struct {
	f    *Figure
	x, y scale
}

// newFrame draws the axes of a plotting area that extends from the left margin to right and from topY to bottom. The
// labels are inside this area.
func newFrame(f *Figure, topY, right, bottom float64, ax, ay Axis, rx, ry span) frame {
	fr := frame{f: f}
	fr.x, fr.y = ax.scale(rx), ay.scale(ry)
	yAt, yText := ticks(fr.y.lo, fr.y.hi, 5, ay.Log)
	wide := 0.0
	for i := range yText {
		yText[i] = ay.tick(yAt[i], yText[i])
		wide = math.Max(wide, textWidth(yText[i], smallSize, false))
	}
	l := margin + wide + 8
	if ay.Label != "" {
		l += 18
	}
	b := bottom - 20
	if ax.Label != "" {
		b -= 20
	}
	fr.x.a, fr.x.b = l, right
	fr.y.a, fr.y.b = b, topY
	for i, v := range yAt {
		y := fr.y.at(v)
		f.line(l, y, right, y, grid, 1)
		f.text(l-7, y, yText[i], soft, smallSize, 1)
	}
	fr.xTicks(ax, b)
	f.line(l, b, right, b, soft, 1)
	if ay.Label != "" {
		f.upright(margin+6, (topY+b)/2, fit(ay.Label, b-topY, textSize, false), soft, textSize, 0.5)
	}
	if ax.Label != "" {
		f.text((l+right)/2, bottom-6, fit(ax.Label, right-l, textSize, false), soft, textSize, 0.5)
	}
	return fr
}

// xTicks draws as many tick labels as fit.
func (fr *frame) xTicks(ax Axis, b float64) {
	for n := max(2, int((fr.x.b-fr.x.a)/60)); n > 0; n-- {
		at, labels := ticks(fr.x.lo, fr.x.hi, n, ax.Log)
		end, overlap := math.Inf(-1), false
		for i := range at {
			labels[i] = ax.tick(at[i], labels[i])
			w, x := textWidth(labels[i], smallSize, false), fr.x.at(at[i])
			overlap = overlap || x-w/2 < end+6
			end = x + w/2
		}
		if overlap && n > 1 {
			continue
		}
		for i, v := range at {
			x := fr.x.at(v)
			fr.f.line(x, b, x, b+4, soft, 1)
			fr.f.text(x, b+12, labels[i], soft, smallSize, 0.5)
		}
		return
	}
}

func (a Axis) scale(r span) scale {
	lo, hi := r.padded(0.05)
	if a.Log {
		if r.lo > r.hi || !(r.lo > 0) {
			r = span{0.1, 1}
		}
		lo, hi = r.lo/1.1, r.hi*1.1
	}
	if a.Min != 0 || a.Max != 0 {
		lo, hi = a.Min, a.Max
	}
	if !(hi > lo) || a.Log && !(lo > 0) {
		lo, hi = 0.1, 1
	}
	return scale{lo: lo, hi: hi, log: a.Log}
}

// tick returns the label of a tick: the value v in percent if the axis shows percentages, otherwise s.
func (a Axis) tick(v float64, s string) string {
	if a.Percent {
		return minus(fmt.Sprintf("%g %%", math.Round(1e4*v)/100+0)) // +0 turns −0 into 0
	}
	return s
}

// legend draws marks and names in lines from y on, and returns the y coordinate below them.
func (f *Figure) legend(x, y, right float64, names []string, paints []paint) float64 {
	if len(names) == 0 {
		return y
	}
	cx := x
	for i, n := range names {
		n = fit(n, right-x-24, textSize, false)
		w := 1.1*textWidth(n, textSize, false) + 34 // some fonts are wider than Arial
		if cx > x && cx+w-16 > right {
			cx, y = x, y+18
		}
		f.ops = append(f.ops, op{kind: opRect, x: cx, y: y - 5, w: 12, h: 10, round: 2, fill: paints[i]})
		f.text(cx+18, y, n, ink, textSize, 0)
		cx += w
	}
	return y + 16
}
