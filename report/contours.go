package report

import (
	"cmp"
	"fmt"
	"image"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// surface is a function on a grid.
type surface struct {
	x, y []float64  // increasing
	at   mat.Matrix // len(y)×len(x)
}

// ContoursOptions are the options of [Contours].
type ContoursOptions struct {
	X, Y   Axis
	Levels int       // number of level sets; default 8
	Across []float64 // values of Y at which dashed lines in the colors of curves cross the figure
	Limit  float64   // if above 0, draw signed values from −Limit (blue) to Limit (red), without level sets
}

// Contours draws a function on a grid as shades, with lines for its level sets at equally spaced values. Element (i, j)
// of values is the value at x[j] and y[i]; x and y increase. With opt.Limit it instead uses the colors of signed values
// and no lines. It panics with mat.ErrShape if the grid does not match the values or has fewer than two points per
// axis.
func Contours(title string, x, y []float64, values mat.Matrix, opt ContoursOptions) *Figure {
	rows, cols := values.Dims()
	if rows != len(y) || cols != len(x) || rows < 2 || cols < 2 {
		panic(mat.ErrShape)
	}
	if opt.Levels <= 0 {
		opt.Levels = 8
	}
	return twice(440, func(width float64) *Figure { return drawContours(title, surface{x, y, values}, opt, width) })
}

func drawContours(title string, s surface, opt ContoursOptions, width float64) *Figure {
	f := newFigure(title, width, width+24)
	values, colors := newSpan(), rising
	if opt.Limit > 0 {
		values.add(-opt.Limit)
		values.add(opt.Limit)
		colors, opt.Levels = diverging, 0
	} else {
		for i := range s.y {
			for j := range s.x {
				values.add(s.at.At(i, j))
			}
		}
	}
	ax, ay := opt.X, opt.Y
	ax.Min, ax.Max = s.x[0], s.x[len(s.x)-1]
	ay.Min, ay.Max = s.y[0], s.y[len(s.y)-1]
	fr := newFrame(f, top(title)+2, width-margin, f.h-margin/2-28, ax, ay, newSpan(), newSpan())
	f.picture(fr.x.a, fr.y.b, fr.x.b-fr.x.a, fr.y.a-fr.y.b, shades(s, values, colors), "")
	for k := 1; k <= opt.Levels; k++ {
		level := values.lo + (values.hi-values.lo)*float64(k)/float64(opt.Levels+1)
		for _, seg := range levelSet(s, level) {
			f.line(fr.x.at(seg[0].x), fr.y.at(seg[0].y), fr.x.at(seg[1].x), fr.y.at(seg[1].y), ink, 1)
		}
	}
	for i, y := range opt.Across {
		f.line(fr.x.a, fr.y.at(y), fr.x.b, fr.y.at(y), seriesPaint(i), 1.6, 6, 4)
	}
	f.colorBar(colors, minus(number(values.lo)), "", number(values.hi))
	if opt.Limit > 0 {
		f.Alt = fmt.Sprintf("%s over %s as colors from %s to %s: blue is negative, red is positive.",
			cmp.Or(opt.Y.Label, "y"), cmp.Or(opt.X.Label, "x"), number(values.lo), number(values.hi))
		return f
	}
	f.Alt = fmt.Sprintf("Level sets of a function between %s and %s over %s and %s.",
		number(values.lo), number(values.hi),
		cmp.Or(opt.X.Label, "x"), cmp.Or(opt.Y.Label, "y"))
	return f
}

// shades returns the surface as an image. The last row of the surface is at the top.
func shades(s surface, values span, colors ramp) image.Image {
	const fine = 4 // pixels per step of the grid
	rows, cols := len(s.y), len(s.x)
	img := image.NewNRGBA(image.Rect(0, 0, fine*(cols-1), fine*(rows-1)))
	for py := range fine * (rows - 1) {
		for px := range fine * (cols - 1) {
			y, x := float64(rows-1)-(float64(py)+0.5)/fine, (float64(px)+0.5)/fine
			img.SetNRGBA(px, py, colors.at(max(0, min(1, (between(s, y, x)-values.lo)/(values.hi-values.lo)))))
		}
	}
	return img
}

// between interpolates the surface at row y and column x.
func between(s surface, y, x float64) float64 {
	i, j := min(int(y), len(s.y)-2), min(int(x), len(s.x)-2)
	u, v := y-float64(i), x-float64(j)
	return (1-u)*((1-v)*s.at.At(i, j)+v*s.at.At(i, j+1)) + u*((1-v)*s.at.At(i+1, j)+v*s.at.At(i+1, j+1))
}

// levelSet returns the segments of a level set, cell by cell (marching squares with two triangles per cell).
func levelSet(s surface, level float64) (pieces [][2]point) {
	corner := func(i, j int) (point, float64) { return point{s.x[j], s.y[i]}, s.at.At(i, j) - level }
	for i := range len(s.y) - 1 {
		for j := range len(s.x) - 1 {
			for _, c := range [2][3][2]int{{{i, j}, {i, j + 1}, {i + 1, j + 1}}, {{i, j}, {i + 1, j + 1}, {i + 1, j}}} {
				var cross []point
				for k := range 3 {
					p, a := corner(c[k][0], c[k][1])
					q, b := corner(c[(k+1)%3][0], c[(k+1)%3][1])
					if vec.Finite(a) && vec.Finite(b) && (a < 0) != (b < 0) {
						t := a / (a - b)
						cross = append(cross, point{p.x + t*(q.x-p.x), p.y + t*(q.y-p.y)})
					}
				}
				if len(cross) == 2 {
					pieces = append(pieces, [2]point{cross[0], cross[1]})
				}
			}
		}
	}
	return pieces
}

// Panels arranges figures in a grid with the given number of columns, under a title. On a phone they are stacked.
func Panels(title string, columns int, figures ...*Figure) *Figure {
	panels := make([]*Figure, len(figures))
	for i, f := range figures {
		panels[i] = f
		if f.narrow != nil {
			panels[i] = f.narrow
		}
	}
	f := join(title, max(columns, 1), panels)
	f.narrow = join(title, 1, panels)
	return f
}

// join copies the drawings of several figures into one.
func join(title string, columns int, figures []*Figure) *Figure {
	wide := 0.0
	for _, p := range figures {
		wide = math.Max(wide, p.w)
	}
	columns = min(columns, max(len(figures), 1))
	f := newFigure(title, math.Max(wide*float64(columns), narrowWidth), 0)
	x, y, high := 0.0, top(title), 0.0
	for i, p := range figures {
		if i > 0 && i%columns == 0 {
			x, y, high = 0, y+high, 0
		}
		for _, o := range p.ops[1:] { // without its background
			o.x, o.y = o.x+x, o.y+y
			pts := make([]point, len(o.pts))
			for k, q := range o.pts {
				pts[k] = point{q.x + x, q.y + y}
			}
			o.pts = pts
			f.ops = append(f.ops, o)
		}
		f.Alt += p.Title + ": " + p.Alt + " "
		x, high = x+wide, math.Max(high, p.h)
	}
	f.grow(y + high)
	return f
}
