package report

import (
	"fmt"
	"math"

	"rao/internal/linalg/vec"
)

// Histogram draws a histogram with 30 bins of equal width and the mark of the axis, such as the null distribution of a
// test and the observed statistic. Values that are not finite are left out.
func Histogram(title string, values []float64, axis Axis) *Figure {
	return twice(plotWidth, func(width float64) *Figure { return drawHistogram(title, values, axis, width) })
}

func drawHistogram(title string, values []float64, axis Axis, width float64) *Figure {
	const bins = 30
	f := newFigure(title, width, 320)
	r := newSpan()
	r.add(values...)
	lo, hi := r.lo, r.hi
	if !(hi > lo) {
		lo, hi = r.padded(0)
	}
	step := (hi - lo) / bins
	counts := make([]float64, bins)
	total := 0
	for _, v := range values {
		if vec.Finite(v) {
			counts[min(int((v-lo)/step), bins-1)]++
			total++
		}
	}
	ry := span{0, 1}
	ry.add(counts...)
	rx := span{lo, hi}
	marked := axis.Mark != 0 && vec.Finite(axis.Mark)
	if marked {
		rx.add(axis.Mark)
	}
	ay := Axis{Label: "how often", Max: 1.15 * ry.hi}
	fr := newFrame(f, top(title)+6, width-margin, f.h-margin/2, axis, ay, rx, ry)
	for k, n := range counts {
		a, b := fr.x.at(lo+step*float64(k)), fr.x.at(lo+step*float64(k+1))
		if n > 0 {
			f.rect(a+0.5, fr.y.at(n), b-a-1, fr.y.at(0)-fr.y.at(n), seriesPaint(0),
				fmt.Sprintf("%s to %s: %g", number(lo+step*float64(k)), number(lo+step*float64(k+1)), n))
		}
	}
	f.Alt = fmt.Sprintf("Histogram of %d values from %s to %s.", total, number(lo), number(hi))
	if marked {
		x := fr.x.at(axis.Mark)
		f.line(x, fr.y.a, x, fr.y.b, seriesPaint(1), 2)
		anchor := 0.0
		if x > (fr.x.a+fr.x.b)/2 {
			anchor = 1
		}
		f.text(x+8-16*anchor, fr.y.b+8, axis.MarkLabel, ink, textSize, anchor)
		f.Alt += fmt.Sprintf(" A line at %s: %s.", number(axis.Mark), axis.MarkLabel)
	}
	if math.IsInf(r.lo, 1) {
		f.Alt = "Histogram of no values."
	}
	return f
}
