package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/internal/linalg/vec"
	"rao/internal/text"
)

// Line is a curve, with a band around it if Low and High are given.
type Line struct {
	Name      string    // name in the legend
	X, Y      []float64 // nil X: 0, 1, 2, ...
	Low, High []float64 // nil, or as long as Y
	Dashed    bool      // draw a dashed curve
}

// PlotOptions are the options of [Lines] and [Scatter].
type PlotOptions struct {
	X, Y      Axis
	Diagonal  bool // draw the line y = x
	Markers   bool // mark the points of curves with at most 40 points
	ErrorBars bool // draw Low and High as bars at the points, not as a band

	Marks Points // points to mark on the curves, such as the result of a test
}

const plotWidth, plotHeight = 640.0, 400.0

// Lines draws curves. Points that are not finite interrupt a curve. It panics with mat.ErrShape if the slices of a
// line, or of the marks, differ in length.
func Lines(title string, lines []Line, opt PlotOptions) *Figure {
	return twice(plotWidth, func(width float64) *Figure { return drawLines(title, lines, opt, width) })
}

func drawLines(title string, lines []Line, opt PlotOptions, width float64) *Figure {
	f := newFigure(title, width, math.Min(plotHeight, width))
	rx, ry := newSpan(), newSpan()
	lines = append([]Line(nil), lines...)
	var names []string
	var paints []paint
	for i := range lines {
		l := &lines[i]
		if l.X == nil {
			l.X = make([]float64, len(l.Y))
			for k := range l.X {
				l.X[k] = float64(k)
			}
		}
		if len(l.X) != len(l.Y) || len(l.Low) != len(l.High) || l.Low != nil && len(l.Low) != len(l.Y) {
			panic(mat.ErrShape)
		}
		addFor(&rx, opt.X, l.X)
		addFor(&ry, opt.Y, l.Y)
		addFor(&ry, opt.Y, l.Low)
		addFor(&ry, opt.Y, l.High)
		names, paints = append(names, l.Name), append(paints, seriesPaint(i))
	}
	if len(opt.Marks.X) != len(opt.Marks.Y) {
		panic(mat.ErrShape)
	}
	if opt.Marks.Name != "" {
		names, paints = append(names, opt.Marks.Name), append(paints, seriesPaint(len(lines)))
	}
	y := top(title)
	if len(names) > 1 || len(names) == 1 && names[0] != "" {
		y = f.legend(margin, y+4, width-margin, names, paints)
	}
	fr := newFrame(f, y+6, width-margin, f.h-margin/2, opt.X, opt.Y, rx, ry)
	if opt.Diagonal {
		fr.diagonal()
	}
	for i, l := range lines {
		if opt.ErrorBars {
			fr.errorBars(l, paints[i])
		} else {
			fr.band(l, paints[i])
		}
	}
	for i, l := range lines {
		fr.curve(l, paints[i], opt.Markers)
	}
	for k, x := range opt.Marks.X {
		if q, ok := fr.point(x, opt.Marks.Y[k]); ok {
			f.circle(q.x, q.y, 4.5, seriesPaint(len(lines)), paper, 1.2, number(x))
		}
	}
	f.Alt = linesAlt(lines, opt)
	if n := len(opt.Marks.X); n > 0 {
		points := text.Plural(n, "point is", "points are")
		f.Alt += fmt.Sprintf(" %s marked: %s.", points, cmp.Or(opt.Marks.Name, "marks"))
	}
	return f
}

// addFor extends s to the values that the axis can show.
func addFor(s *span, a Axis, values []float64) {
	for _, v := range values {
		if !a.Log || v > 0 {
			s.add(v)
		}
	}
}

func (fr frame) point(x, y float64) (point, bool) {
	return point{fr.x.at(x), fr.y.at(y)}, fr.x.in(x) && fr.y.in(y)
}

func (fr frame) diagonal() {
	lo, hi := math.Max(fr.x.lo, fr.y.lo), math.Min(fr.x.hi, fr.y.hi)
	if hi > lo {
		fr.f.line(fr.x.at(lo), fr.y.at(lo), fr.x.at(hi), fr.y.at(hi), soft, 1, 4, 3)
	}
}

func (fr frame) band(l Line, p paint) {
	if l.Low == nil {
		return
	}
	clamp := func(v float64) float64 { return math.Max(fr.y.lo, math.Min(fr.y.hi, v)) }
	var up, down []point
	for k := range l.X {
		if fr.x.in(l.X[k]) && vec.Finite(l.Low[k]) && vec.Finite(l.High[k]) {
			up = append(up, point{fr.x.at(l.X[k]), fr.y.at(clamp(l.High[k]))})
			down = append([]point{{fr.x.at(l.X[k]), fr.y.at(clamp(l.Low[k]))}}, down...)
		}
	}
	fr.f.path(append(up, down...), true, p.fade(0.18), paint{}, 0)
}

// errorBars draws the interval of every point, clipped to the axis.
func (fr frame) errorBars(l Line, p paint) {
	for k := range l.Low {
		low, high := math.Max(l.Low[k], fr.y.lo), math.Min(l.High[k], fr.y.hi)
		if !fr.x.in(l.X[k]) || !(high > low) {
			continue
		}
		x := fr.x.at(l.X[k])
		fr.f.line(x, fr.y.at(low), x, fr.y.at(high), p, 1.2)
		for _, v := range []float64{l.Low[k], l.High[k]} {
			if fr.y.in(v) {
				fr.f.line(x-3, fr.y.at(v), x+3, fr.y.at(v), p, 1.2)
			}
		}
	}
}

func (fr frame) curve(l Line, p paint, markers bool) {
	var run []point
	var dash []float64
	if l.Dashed {
		dash = []float64{6, 4}
	}
	flush := func() {
		fr.f.path(run, false, paint{}, p, 2, dash...)
		run = nil
	}
	for k := range l.X {
		q, ok := fr.point(l.X[k], l.Y[k])
		if !ok {
			flush()
			continue
		}
		run = append(run, q)
		if markers && len(l.X) <= 40 {
			fr.f.circle(q.x, q.y, 3.2, p, paper, 1, fmt.Sprintf("%s: %s, %s", l.Name, number(l.X[k]), number(l.Y[k])))
		}
	}
	flush()
}

func linesAlt(lines []Line, opt PlotOptions) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s against %s.", cmp.Or(opt.Y.Label, "Values"), cmp.Or(opt.X.Label, "position"))
	for i, l := range lines {
		if n := len(l.Y); n > 0 {
			fmt.Fprintf(&s, " %s: %d points from %s to %s.",
				cmp.Or(l.Name, fmt.Sprintf("curve %d", i+1)), n, number(l.Y[0]), number(l.Y[n-1]))
		}
	}
	return s.String()
}

// Points is one group of points of a scatter plot.
type Points struct {
	Name  string // name in the legend
	X, Y  []float64
	Label []string // nil, or a label for each point
	Large bool     // larger and opaque, for a few reference points
}

// Scatter draws groups of points. Points that are not finite are left out. It panics with mat.ErrShape if the slices of
// a group differ in length.
func Scatter(title string, groups []Points, opt PlotOptions) *Figure {
	return twice(plotWidth, func(width float64) *Figure { return drawScatter(title, groups, opt, width) })
}

func drawScatter(title string, groups []Points, opt PlotOptions, width float64) *Figure {
	f := newFigure(title, width, math.Min(plotHeight, width)+60)
	rx, ry := newSpan(), newSpan()
	var names []string
	var paints []paint
	total := 0
	for i, g := range groups {
		if len(g.X) != len(g.Y) || g.Label != nil && len(g.Label) != len(g.X) {
			panic(mat.ErrShape)
		}
		addFor(&rx, opt.X, g.X)
		addFor(&ry, opt.Y, g.Y)
		names, paints = append(names, g.Name), append(paints, seriesPaint(i))
		total += len(g.X)
	}
	if opt.Diagonal {
		rx.add(ry.lo, ry.hi)
		ry = rx
	}
	y := top(title)
	if len(groups) > 1 || len(groups) == 1 && groups[0].Name != "" {
		y = f.legend(margin, y+4, width-margin, names, paints)
	}
	fr := newFrame(f, y+6, width-margin, f.h-margin/2, opt.X, opt.Y, rx, ry)
	if opt.Diagonal {
		fr.diagonal()
	}
	radius, alpha := 3.5, 0.75
	if total > 300 {
		radius, alpha = 2.2, 0.45
	}
	for i, g := range groups {
		for k := range g.X {
			q, ok := fr.point(g.X[k], g.Y[k])
			if !ok {
				continue
			}
			tip := ""
			if g.Label != nil {
				tip = g.Label[k]
				if total <= 40 {
					f.text(q.x+7, q.y-7, tip, soft, smallSize, 0)
				}
			}
			if g.Large {
				f.circle(q.x, q.y, 2*radius, paints[i], paper, 1.2, tip)
				continue
			}
			f.circle(q.x, q.y, radius, paints[i].fade(alpha), paint{}, 0, tip)
		}
	}
	f.Alt = fmt.Sprintf("Scatter plot of %d points in %d groups: %s against %s.",
		total, len(groups), cmp.Or(opt.Y.Label, "y"), cmp.Or(opt.X.Label, "x"))
	return f
}

// RiskCoverage draws the error rate of the accepted predictions against the accepted fraction, with the least certain
// predictions rejected first.
func RiskCoverage(curve *evaluate.RiskCurve) *Figure {
	return Lines("Error of the accepted decisions", []Line{{Name: "error", X: curve.Coverage,
		Y: curve.Risk}},
		PlotOptions{X: Axis{Label: "share of accepted decisions", Percent: true},
			Y: Axis{Label: "error", Percent: true}})
}
