package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rao/internal/linalg/vec"
)

// Bar is one bar of [Bars].
type Bar struct {
	Label     string  // text at the left of the bar
	Value     float64 // end of the bar; NaN draws a dash instead
	Low, High float64 // interval around the value; none if they are equal
	Note      string  // shown in gray after the value, such as "12 s"
	Highlight bool    // keep the accent color; bars without Highlight are then paler
}

// Bars draws horizontal bars with intervals, in the given order, with labels at the left and values at the right. If
// the axis of the values does not start at zero (Min and Max set), values are drawn as points, because the length of a
// bar would be misleading.
func Bars(title string, bars []Bar, axis Axis) *Figure {
	return twice(720, func(width float64) *Figure { return drawBars(title, bars, axis, width) })
}

// drawBars draws bars in a figure of the given width. In a narrow figure labels are shortened and notes left out.
func drawBars(title string, bars []Bar, axis Axis, width float64) *Figure {
	const row = 30.0
	label := 250.0
	if width <= narrowWidth {
		label = 120
		bars = slices.Clone(bars)
		for i := range bars {
			bars[i].Note = ""
		}
	}
	f := newFigure(title, width, 0)
	y0 := top(title) + 4
	if axis.MarkLabel != "" {
		y0 += 12
	}
	labelW, noteW, marked := 0.0, 0.0, false
	r := newSpan()
	r.add(0)
	for _, b := range bars {
		labelW = math.Max(labelW, textWidth(b.Label, textSize, false))
		noteW = math.Max(noteW, textWidth(valueText(b, axis), textSize, true)+
			textWidth("  "+b.Note, smallSize, false))
		r.add(b.Value, b.Low, b.High)
		marked = marked || b.Highlight
	}
	r.add(axis.Mark)
	// Leave room for readers whose fonts are wider than Arial.
	labelW, noteW = math.Min(1.1*labelW, label), 1.15*noteW+8
	left, right := margin+labelW+10, width-margin-noteW-12
	bottom := y0 + row*float64(len(bars)) + 46
	if axis.Label == "" {
		bottom -= 18
	}
	f.grow(bottom + margin/2)
	s := barScale(axis, r)
	s.a, s.b = left, right
	axisY := y0 + row*float64(len(bars)) + 2
	f.barAxis(s, axis, y0, axisY, bottom)
	for i, b := range bars {
		f.bar(b, s, y0+row*float64(i), row, axis, marked, labelW)
	}
	if axis.Mark != 0 && s.in(axis.Mark) {
		x := s.at(axis.Mark)
		f.line(x, y0-4, x, axisY, ink, 1.2, 4, 3)
		if axis.MarkLabel != "" {
			anchor := 0.0
			if x > (left+right)/2 {
				anchor = 1
			}
			f.text(x+6-12*anchor, y0-8, axis.MarkLabel, soft, smallSize, anchor)
		}
	}
	f.Alt = barsAlt(bars, axis)
	return f
}

func barScale(a Axis, r span) scale {
	s := a.scale(r)
	if a.Min == 0 && a.Max == 0 && !a.Log {
		s.lo, s.hi = math.Min(0, r.lo), math.Max(r.hi, 0)
		if a.Percent && s.hi > 0.7 && s.hi <= 1 {
			s.hi = 1
		}
		if s.hi <= s.lo {
			s.hi = s.lo + 1
		}
	}
	return s
}

func (f *Figure) barAxis(s scale, a Axis, y0, axisY, bottom float64) {
	at, labels := ticks(s.lo, s.hi, int(math.Max(1, math.Min(5, (s.b-s.a)/50))), a.Log)
	for i, v := range at {
		x := s.at(v)
		f.line(x, y0-2, x, axisY, grid, 1)
		f.text(x, axisY+11, a.tick(v, labels[i]), soft, smallSize, 0.5)
	}
	if a.Label != "" {
		f.text((s.a+s.b)/2, bottom-6, a.Label, soft, textSize, 0.5)
	}
}

func (f *Figure) bar(b Bar, s scale, y, row float64, a Axis, marked bool, labelW float64) {
	mid := y + row/2
	f.text(s.a-10, mid, fit(b.Label, labelW/1.1+1, textSize, false), ink, textSize, 1)
	p := seriesPaint(0)
	if marked && !b.Highlight {
		p = paint{c: rgb(0x9db4c8)}
	}
	value := valueText(b, a)
	if vec.Finite(b.Value) && !s.log && (s.lo > 0 || s.hi < 0) {
		x := s.at(math.Max(s.lo, math.Min(b.Value, s.hi)))
		f.line(s.a, mid, s.b, mid, grid, 1)
		f.interval(b, s, mid, p)
		f.circle(x, mid, 5.5, p, paper, 1.2, b.Label+": "+value)
	} else if vec.Finite(b.Value) {
		zero := s.a
		if !s.log {
			zero = s.at(math.Max(s.lo, math.Min(0, s.hi)))
		}
		x := s.at(math.Max(s.lo, math.Min(b.Value, s.hi)))
		f.ops = append(f.ops, op{kind: opRect, x: math.Min(zero, x), y: mid - row*0.32, w: math.Abs(x - zero),
			h: row * 0.64, round: 2, fill: p, tip: b.Label + ": " + value})
		f.interval(b, s, mid, ink)
	}
	f.ops = append(f.ops, op{kind: opText, x: s.b + 12, y: mid, text: value, size: textSize, bold: true, fill: ink})
	if b.Note != "" {
		f.text(f.w-margin, mid, b.Note, soft, smallSize, 1)
	}
}

// interval draws the interval of a bar, clipped to the axis.
func (f *Figure) interval(b Bar, s scale, mid float64, p paint) {
	low, high := math.Max(b.Low, s.lo), math.Min(b.High, s.hi)
	if !(b.High > b.Low) || !vec.Finite(b.Low) || !vec.Finite(b.High) || low > high {
		return
	}
	f.line(s.at(low), mid, s.at(high), mid, p, 1.6)
	for _, v := range []float64{b.Low, b.High} {
		if s.in(v) {
			f.line(s.at(v), mid-4, s.at(v), mid+4, p, 1.6)
		}
	}
}

func valueText(b Bar, a Axis) string {
	if a.Percent {
		return percent(b.Value)
	}
	return minus(number(b.Value))
}

func barsAlt(bars []Bar, a Axis) string {
	var s strings.Builder
	if a.Label != "" {
		fmt.Fprintf(&s, "%s. ", a.Label)
	}
	for i, b := range bars {
		if i > 0 {
			s.WriteString("; ")
		}
		fmt.Fprintf(&s, "%s %s", b.Label, valueText(b, a))
	}
	return s.String()
}
