package report

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"strings"

	"rao/internal/format/archive"
)

// Figure is a drawing of fixed size that can be written as SVG, PDF and PNG. The same input gives the same bytes.
type Figure struct {
	Title string // shown above, and read first by a screen reader
	Alt   string // description of the figure for readers who cannot see it
	w, h  float64
	ops   []op

	narrow *Figure // version for phones, in pages; nil if this one fits
}

// narrowWidth is the width of a figure on the screen of a phone.
const narrowWidth = 344.0

// twice draws a figure at the given width. If the figure is too wide for a phone, it also draws a narrow version.
func twice(width float64, draw func(width float64) *Figure) *Figure {
	f := draw(width)
	if f.w > narrowWidth {
		f.narrow = draw(narrowWidth)
	}
	return f
}

type opKind int

const (
	opPath opKind = iota
	opRect
	opCircle
	opText
	opImage
)

type point struct{ x, y float64 }

// op is one drawing operation, in pixels (96 per inch), with y downwards.
type op struct {
	kind         opKind
	pts          []point // path
	closed       bool
	x, y, w, h   float64 // rect, image; circle uses x, y, w as radius
	round        float64 // radius of a rectangle's corners
	fill, stroke paint   // opacity 0 draws nothing
	width        float64 // of the stroke
	dash         []float64
	text         string
	size         float64
	bold         bool
	anchor       float64 // 0 start, 0.5 middle, 1 end
	rotate       bool    // a quarter turn to the left
	img          image.Image
	tip          string // shown when the pointer rests on it
}

// newFigure starts a figure with its title. Content begins at f.top().
func newFigure(title string, w, h float64) *Figure {
	f := &Figure{Title: title, w: w, h: h}
	f.rect(0, 0, w, h, paper, "")
	if title != "" {
		size := titleSize
		if w <= narrowWidth { // leave room for readers whose fonts are wider than Arial
			size = math.Max(smallSize,
				math.Min(titleSize, titleSize*(w-2*margin)/(1.15*textWidth(title, titleSize, true))))
		}
		f.ops = append(f.ops, op{kind: opText, x: margin, y: margin + 6, text: fit(title, w-2*margin, size, true),
			size: size, bold: true, fill: ink})
	}
	return f
}

const (
	margin    = 16.0
	titleSize = 16.0
	textSize  = 12.0
	smallSize = 11.0
)

// top returns the y coordinate below the title.
func top(title string) float64 {
	if title == "" {
		return margin
	}
	return margin + 24
}

// grow sets the height of the figure and of its background.
func (f *Figure) grow(h float64) {
	f.h = h
	f.ops[0].h = h
}

func (f *Figure) rect(x, y, w, h float64, fill paint, tip string) {
	f.ops = append(f.ops, op{kind: opRect, x: x, y: y, w: math.Max(w, 0), h: math.Max(h, 0), fill: fill, tip: tip})
}

func (f *Figure) line(x1, y1, x2, y2 float64, p paint, width float64, dash ...float64) {
	f.path([]point{{x1, y1}, {x2, y2}}, false, paint{}, p, width, dash...)
}

func (f *Figure) path(pts []point, closed bool, fill, stroke paint, width float64, dash ...float64) {
	if len(pts) < 2 {
		return
	}
	f.ops = append(f.ops, op{kind: opPath, pts: pts, closed: closed, fill: fill, stroke: stroke, width: width,
		dash: dash})
}

func (f *Figure) circle(x, y, r float64, fill, stroke paint, width float64, tip string) {
	f.ops = append(f.ops, op{kind: opCircle, x: x, y: y, w: r, fill: fill, stroke: stroke, width: width, tip: tip})
}

// text writes s, vertically centered at y.
func (f *Figure) text(x, y float64, s string, p paint, size, anchor float64) {
	f.ops = append(f.ops, op{kind: opText, x: x, y: y, text: s, size: size, fill: p, anchor: anchor})
}

// upright writes s rotated by a quarter turn to the left, centered at x, y.
func (f *Figure) upright(x, y float64, s string, p paint, size, anchor float64) {
	f.ops = append(f.ops, op{kind: opText, x: x, y: y, text: s, size: size, fill: p, anchor: anchor, rotate: true})
}

// picture draws an image whose pixels become sharp rectangles.
func (f *Figure) picture(x, y, w, h float64, img image.Image, tip string) {
	f.ops = append(f.ops, op{kind: opImage, x: x, y: y, w: w, h: h, img: img, tip: tip})
}

// arrow draws a line with a head at its end.
func (f *Figure) arrow(x1, y1, x2, y2 float64, p paint, width float64) {
	d := math.Hypot(x2-x1, y2-y1)
	if !(d > 0) {
		return
	}
	ux, uy := (x2-x1)/d, (y2-y1)/d
	head := math.Min(9, d*0.6)
	bx, by := x2-ux*head, y2-uy*head
	f.line(x1, y1, bx+ux*2, by+uy*2, p, width)
	f.path([]point{{x2, y2}, {bx - uy*head*0.45, by + ux*head*0.45}, {bx + uy*head*0.45, by - ux*head*0.45}}, true, p,
		paint{}, 0)
}

// Size returns the width and height in pixels at 96 dots per inch.
func (f *Figure) Size() (width, height float64) { return f.w, f.h }

// WriteFile writes the figure as SVG, PDF or PNG (192 dots per inch), depending on the file name extension. It returns
// an error for other extensions, and if the file cannot be written. The file is written completely or not at all.
func (f *Figure) WriteFile(path string) error {
	var b []byte
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg":
		b = f.SVG()
	case ".pdf":
		b = f.PDF()
	case ".png":
		b = f.PNG(192)
	default:
		return fmt.Errorf("%s: figures cannot be written as %q; use .svg, .pdf or .png", path, ext)
	}
	return archive.WriteBytes(path, b)
}

// number writes v with few digits.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 0):
		return strings.ReplaceAll(fmt.Sprintf("%g", v), "Inf", "∞")
	case a != 0 && (a < 1e-3 || a >= 1e5):
		return strings.Replace(fmt.Sprintf("%.2g", v), "e+0", "e", 1)
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*v)
}

func escape(s string) string {
	var b bytes.Buffer
	for _, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '"':
			b.WriteString("&quot;")
		case r < 0x20 && r != '\n' && r != '\t', r == 0xfffe, r == 0xffff:
			b.WriteRune('\ufffd')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
