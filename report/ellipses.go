package report

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/vec"
	"rao/internal/text"
)

// EllipsesOptions are the options of [Ellipses].
type EllipsesOptions struct {
	Axis string // word before the number of a dimension; empty: "dimension"

	// Points are observations (N×n, or nil) to draw with the ellipses; Labels are their classes. Without filters, the
	// axes then cover all points and ellipses.
	Points mat.Matrix
	Labels []int
}

// Ellipses draws class statistics in planes of two dimensions. Each class is an ellipse of 1.5 standard deviations
// around its mean, and each filter (n×m, or nil) is an arrow from the origin. The length of an arrow is proportional to
// the norm of the projection onto the plane, relative to the norm of the filter. If this ratio is below about a tenth,
// no arrow is drawn. A plane is a pair of dimensions, counted from 0. It panics with mat.ErrShape if a plane, the
// filters or the points do not match the statistics.
func Ellipses(title string, stats *gaussian.Statistics, filters mat.Matrix, planes [][2]int,
	opt EllipsesOptions) *Figure {
	if filters != nil {
		if n, _ := filters.Dims(); n != stats.Dim {
			panic(mat.ErrShape)
		}
	}
	opt.Axis = cmp.Or(opt.Axis, "dimension")
	if opt.Points != nil {
		if r, n := opt.Points.Dims(); n != stats.Dim || r != len(opt.Labels) {
			panic(mat.ErrShape)
		}
	}
	columns := min(max(len(planes), 1), 3)
	width := math.Max(2*margin+float64(columns)*(planeSide+planeGap)-planeGap, 420)
	return twice(width, func(width float64) *Figure {
		if width <= narrowWidth {
			return drawEllipses(title, stats, filters, planes, opt, 1, width)
		}
		return drawEllipses(title, stats, filters, planes, opt, columns, width)
	})
}

// planeSide and planeGap are the side of a panel of [Ellipses] and the gap between panels, in pixels.
const planeSide, planeGap = 236.0, 18.0

func drawEllipses(title string, stats *gaussian.Statistics, filters mat.Matrix, planes [][2]int, opt EllipsesOptions,
	columns int, width float64) *Figure {
	const side, gap = planeSide, planeGap
	f := newFigure(title, width, 0)
	c := len(stats.Classes)
	style := classStyles(stats.Classes)
	y := top(title)
	if c <= len(series) {
		y = f.legend(margin, y+4, width-margin, stats.Classes, style.paints)
	}
	rows := (len(planes) + columns - 1) / columns
	left := (width - float64(columns)*(side+gap) + gap) / 2
	for k, p := range planes {
		if p[0] < 0 || p[1] < 0 || p[0] >= stats.Dim || p[1] >= stats.Dim {
			panic(mat.ErrShape)
		}
		f.plane(stats, filters, p, left+float64(k%columns)*(side+gap), y+8+float64(k/columns)*(side+gap), side, opt,
			style)
	}
	bottom := y + 8 + float64(rows)*(side+gap)
	if style.scale {
		f.grow(bottom + 28)
		f.colorBar(ordered, style.low, "", style.high)
	} else {
		f.grow(bottom)
	}
	f.Alt = fmt.Sprintf("Ellipses of %d classes in %s", c, text.Plural(len(planes), "plane", "planes"))
	if filters != nil {
		_, m := filters.Dims()
		f.Alt += fmt.Sprintf(", with %d filters as arrows", m)
	}
	if opt.Points != nil {
		f.Alt += fmt.Sprintf(", with %d observations as points", len(opt.Labels))
	}
	f.Alt += "."
	return f
}

// plane draws one panel with equal units on both axes.
func (f *Figure) plane(stats *gaussian.Statistics, filters mat.Matrix, p [2]int, x, y, side float64,
	opt EllipsesOptions, style styles) {
	var outlines [][]point
	for i := range stats.Counts {
		outlines = append(outlines, ellipse(stats.Mean(i), stats.Covariance(i), p, 1.5))
	}
	center, reach := window(outlines, p, filters, opt)
	box := side - 22
	left, bottom := x+22, y+box
	at := func(q point) point {
		return point{left + box/2*(1+(q.x-center.x)/reach), y + box/2*(1-(q.y-center.y)/reach)}
	}
	f.rect(left, y, box, box, paint{}, "")
	f.ops[len(f.ops)-1].stroke, f.ops[len(f.ops)-1].width = grid, 1
	if o := at(point{}); o.x > left && o.x < left+box && o.y > y && o.y < bottom {
		f.line(left, o.y, left+box, o.y, grid, 1)
		f.line(o.x, y, o.x, bottom, grid, 1)
	}
	for i, l := range opt.Labels {
		q := at(point{opt.Points.At(i, p[0]), opt.Points.At(i, p[1])})
		if q.x > left && q.x < left+box && q.y > y && q.y < bottom { // false for NaN
			f.circle(q.x, q.y, 1.6, style.paints[l].fade(0.45), paint{}, 0, "")
		}
	}
	for i, o := range outlines {
		pts := make([]point, len(o))
		for k, q := range o {
			pts[k] = at(q)
		}
		f.path(pts, true, style.paints[i].fade(0.16), style.paints[i], 1.8, style.dashes[i]...)
		m := at(point{stats.Mean(i)[p[0]], stats.Mean(i)[p[1]]})
		f.circle(m.x, m.y, 2.6, style.paints[i], paint{}, 0, stats.Classes[i])
		if len(outlines) > len(series) && !style.scale { // too many for a legend
			f.text(m.x, m.y-8, fit(stats.Classes[i], box/4, smallSize, false), style.paints[i], smallSize, 0.5)
		}
	}
	f.text(left+box/2, bottom+12, fmt.Sprintf("%s %d", opt.Axis, p[0]+1), soft, smallSize, 0.5)
	f.upright(x+10, y+box/2, fmt.Sprintf("%s %d", opt.Axis, p[1]+1), soft, smallSize, 0.5)
	if filters != nil {
		f.filterArrows(filters, p, at, reach)
	}
}

// window returns the center and half the side of the region that a panel shows. It is centered at the origin, or, if
// points but no filters are drawn, on the points and ellipses.
func window(outlines [][]point, p [2]int, filters mat.Matrix, opt EllipsesOptions) (center point, reach float64) {
	x, y := newSpan(), newSpan()
	for _, o := range outlines {
		for _, q := range o {
			x.add(q.x)
			y.add(q.y)
		}
	}
	if filters != nil || opt.Points == nil {
		reach = max(reach, vec.MaxAbs([]float64{x.lo, x.hi, y.lo, y.hi}))
	} else {
		for i := range opt.Labels {
			x.add(opt.Points.At(i, p[0]))
			y.add(opt.Points.At(i, p[1]))
		}
		center = point{(x.lo + x.hi) / 2, (y.lo + y.hi) / 2}
		reach = math.Max(x.hi-x.lo, y.hi-y.lo) / 2
	}
	if !vec.Positive(reach) {
		return point{}, 1
	}
	return center, 1.12 * reach
}

// filterArrows draws the projections of the filters onto a plane. An arrow within the plane has 0.86 times the length
// from the center to the edge of the panel.
func (f *Figure) filterArrows(filters mat.Matrix, p [2]int, at func(point) point, reach float64) {
	n, m := filters.Dims()
	for j := range m {
		norm := 0.0
		for i := range n {
			norm = math.Hypot(norm, filters.At(i, j))
		}
		q := point{filters.At(p[0], j) / norm * 0.86 * reach, filters.At(p[1], j) / norm * 0.86 * reach}
		length := math.Hypot(q.x, q.y)
		if !(length > 0.1*reach) { // almost perpendicular to the plane
			continue
		}
		o, e := at(point{}), at(q)
		f.arrow(o.x, o.y, e.x, e.y, ink, 2)
		l := at(point{q.x * (1 + 0.07*reach/length), q.y * (1 + 0.07*reach/length)})
		f.ops = append(f.ops, op{kind: opText, x: l.x, y: l.y, text: fmt.Sprint(j + 1), size: textSize, bold: true,
			fill: ink, anchor: 0.5})
	}
}

// ellipse returns the outline of a Gaussian's marginal at r standard deviations.
func ellipse(mean []float64, cov mat.Symmetric, p [2]int, r float64) []point {
	a, b, d := cov.At(p[0], p[0]), cov.At(p[0], p[1]), cov.At(p[1], p[1])
	l11 := math.Sqrt(math.Max(a, 0)) // the Cholesky factor of [a b; b d]
	l21 := 0.0
	if l11 > 0 {
		l21 = b / l11
	}
	l22 := math.Sqrt(math.Max(d-l21*l21, 0))
	out := make([]point, 72)
	for k := range out {
		s, c := math.Sincos(2 * math.Pi * float64(k) / float64(len(out)))
		out[k] = point{mean[p[0]] + r*l11*c, mean[p[1]] + r*(l21*c+l22*s)}
	}
	return out
}
