package report

import (
	"bytes"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// paraboloid returns x²+y² over a grid about zero.
func paraboloid(n int) surface {
	s := surface{x: make([]float64, n), y: make([]float64, n)}
	m := mat.NewDense(n, n, nil)
	for i := range n {
		s.x[i] = 2*float64(i)/float64(n-1) - 1
		s.y[i] = s.x[i]
	}
	for i := range n {
		for j := range n {
			m.Set(i, j, s.x[j]*s.x[j]+s.y[i]*s.y[i])
		}
	}
	s.at = m
	return s
}

// The level set of x²+y² is a circle of the right radius and length.
func TestLevelSetOfACircle(t *testing.T) {
	length := 0.0
	for _, p := range levelSet(paraboloid(61), 0.49) {
		length += math.Hypot(p[1].x-p[0].x, p[1].y-p[0].y)
		for _, q := range p {
			testkit.Near(t, math.Hypot(q.x, q.y), 0.7, 1e-3, "a point at radius")
		}
	}
	testkit.Near(t, length, 2*math.Pi*0.7, 0.01, "length")
}

func TestPanelsHoldTheirFigures(t *testing.T) {
	s := paraboloid(9)
	a := Contours("one", s.x, s.y, s.at, ContoursOptions{Across: []float64{0}})
	b := Bars("two", []Bar{{Label: "x", Value: 1}}, Axis{})
	p := Panels("both", 2, a, b)
	svg := p.SVG()
	for _, want := range []string{">one<", ">two<", ">both<"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("no %s", want)
		}
	}
	w, _ := p.Size()
	if w > 2*narrowWidth+1 || p.narrow.w > narrowWidth {
		t.Errorf("widths %v and %v", w, p.narrow.w)
	}
	for _, o := range p.ops {
		for _, q := range o.pts {
			if q.x < 0 || q.x > p.w || q.y < 0 || q.y > p.h {
				t.Errorf("a path leaves the figure at %v", q)
			}
		}
	}
}

// With a limit, a surface has no level sets, and its colors represent signed values, also beyond the limit.
func TestSignedSurface(t *testing.T) {
	s := paraboloid(5)
	f := Contours("change", s.x, s.y, s.at, ContoursOptions{Limit: 0.5})
	if svg := f.SVG(); !bytes.Contains([]byte(f.Alt), []byte("blue is negative")) ||
		bytes.Contains(svg, []byte("NaN")) {
		t.Errorf("%s", f.Alt)
	}
	testkit.Equal[color.Color](t, shades(s, span{lo: -0.5, hi: 0.5}, diverging).At(0, 0), diverging.at(1),
		"color of a corner beyond the limit")
}
