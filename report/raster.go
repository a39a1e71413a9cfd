package report

import (
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/golang/freetype/raster"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// PNG returns the figure as a PNG image at dpi dots per inch; dpi is clamped to the range 24 to 1200. At 96 dots per
// inch, the size of the image in pixels is [Figure.Size].
func (f *Figure) PNG(dpi int) []byte {
	scale := float64(max(24, min(dpi, 1200))) / 96
	w, h := int(f.w*scale+0.5), int(f.h*scale+0.5)
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	c := canvas{dst: dst, shape: raster.NewRasterizer(w, h), brush: raster.NewRGBAPainter(dst), scale: scale}
	c.shape.UseNonZeroWinding = true
	for i := range f.ops {
		c.draw(&f.ops[i])
	}
	return signPNG(encodePNG(dst))
}

// signPNG adds the text chunk "Software" after the header of a PNG image.
func signPNG(b []byte) []byte {
	const signature, header = 8, 4 + 4 + 13 + 4 // length, name, IHDR and checksum
	text := []byte("tEXtSoftware\x00rao")
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(text)-4)), text...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(text))
	return slices.Insert(b, signature+header, chunk...)
}

// canvas draws on dst, with scale dots per pixel.
type canvas struct {
	dst   *image.RGBA
	shape *raster.Rasterizer
	brush *raster.RGBAPainter
	scale float64
}

// at converts a point to dots.
func (c *canvas) at(x, y float64) fixed.Point26_6 {
	x, y = math.Round(x*c.scale*64), math.Round(y*c.scale*64)
	return fixed.Point26_6{X: fixed.Int26_6(x), Y: fixed.Int26_6(y)}
}

// paint fills the shape and starts the next one.
func (c *canvas) paint(with color.NRGBA) {
	c.brush.SetColor(with)
	c.shape.Rasterize(c.brush)
	c.shape.Clear()
}

func (c *canvas) draw(o *op) {
	switch o.kind {
	case opText:
		c.text(o)
		return
	case opImage:
		c.image(o)
		return
	}
	pts := o.outline(c.scale)
	if len(pts) == 0 {
		return
	}
	if o.fill.c.A > 0 {
		c.shape.AddPath(c.path(append(slices.Clip(pts), pts[0])))
		c.paint(o.fill.c)
	}
	if o.stroke.c.A > 0 && o.width > 0 {
		for _, run := range dashed(pts, o.dash) {
			c.shape.AddStroke(c.path(run), fixed.Int26_6(o.width*c.scale*64), raster.ButtCapper, raster.RoundJoiner)
		}
		c.paint(o.stroke.c)
	}
}

// path joins points. It leaves out points that nearly coincide with the previous one, because a stroke would have no
// direction there.
func (c *canvas) path(pts []point) (p raster.Path) {
	var last fixed.Point26_6
	for i, q := range pts {
		next := c.at(q.x, q.y)
		step := next.Sub(last)
		switch {
		case i == 0:
			p.Start(next)
		case max(step.X, -step.X)+max(step.Y, -step.Y) > 4:
			p.Add1(next)
		default:
			continue
		}
		last = next
	}
	return p
}

// outline returns a path, rectangle or circle as points. If it is closed, the last point equals the first. A circle is
// a polygon that differs from it by less than an eighth of a dot.
func (o *op) outline(scale float64) (pts []point) {
	arc := func(x, y, r, from, to float64, steps int) {
		for k := range steps + 1 {
			sin, cos := math.Sincos(from + (to-from)*float64(k)/float64(steps))
			pts = append(pts, point{x + r*cos, y + r*sin})
		}
	}
	switch o.kind {
	case opPath:
		pts = slices.Clone(o.pts)
		if !o.closed {
			return pts
		}
	case opRect:
		r, right, below := math.Min(o.round, math.Min(o.w, o.h)/2), o.x+o.w, o.y+o.h
		if r <= 0 {
			pts = []point{{o.x, o.y}, {right, o.y}, {right, below}, {o.x, below}}
			break
		}
		const quarter = math.Pi / 2
		arc(right-r, below-r, r, 0, quarter, 6)
		arc(o.x+r, below-r, r, quarter, 2*quarter, 6)
		arc(o.x+r, o.y+r, r, 2*quarter, 3*quarter, 6)
		arc(right-r, o.y+r, r, 3*quarter, 4*quarter, 6)
	case opCircle:
		arc(o.x, o.y, o.w, 0, 2*math.Pi, 8+int(2*math.Pi*math.Sqrt(o.w*scale)))
	}
	if len(pts) > 0 {
		pts = append(pts, pts[0])
	}
	return pts
}

// dashed cuts a path into its dashes. lengths are the lengths of dashes and gaps in turn.
func dashed(pts []point, lengths []float64) (runs [][]point) {
	if len(lengths) == 0 {
		return [][]point{pts}
	}
	at, left, run := 0, lengths[0], pts[:1:1]
	end := func() {
		if at%2 == 0 {
			runs = append(runs, run)
		}
	}
	for i := 1; i < len(pts); i++ {
		from, to := pts[i-1], pts[i]
		whole := math.Hypot(to.x-from.x, to.y-from.y)
		for done := 0.0; done < whole; {
			step := math.Min(left, whole-done)
			done, left = done+step, left-step
			t := done / whole
			p := point{from.x + t*(to.x-from.x), from.y + t*(to.y-from.y)}
			run = append(run, p)
			if left <= 0 {
				end()
				at = (at + 1) % len(lengths)
				left, run = lengths[at], []point{p}
			}
		}
	}
	end()
	return runs
}

// text fills the outlines of the letters.
func (c *canvas) text(o *op) {
	unit, start := o.size/em, o.anchor*textWidth(o.text, o.size, o.bold)
	setText(o.text, o.bold, func(outline sfnt.Segments, pen float64) {
		place := func(p fixed.Point26_6) fixed.Point26_6 {
			along, down := (pen+float64(p.X))*unit-start, float64(p.Y)*unit+0.35*o.size
			if o.rotate {
				return c.at(o.x+down, o.y-along)
			}
			return c.at(o.x+along, o.y+down)
		}
		for _, s := range outline {
			switch a := s.Args; s.Op {
			case sfnt.SegmentOpMoveTo:
				c.shape.Start(place(a[0]))
			case sfnt.SegmentOpLineTo:
				c.shape.Add1(place(a[0]))
			case sfnt.SegmentOpQuadTo:
				c.shape.Add2(place(a[0]), place(a[1]))
			case sfnt.SegmentOpCubeTo:
				c.shape.Add3(place(a[0]), place(a[1]), place(a[2]))
			}
		}
	})
	c.paint(o.fill.c)
}

// image draws the pixels of an image as sharp rectangles.
func (c *canvas) image(o *op) {
	b := o.img.Bounds()
	x0, y0 := int(math.Round(o.x*c.scale)), int(math.Round(o.y*c.scale))
	x1, y1 := int(math.Round((o.x+o.w)*c.scale)), int(math.Round((o.y+o.h)*c.scale))
	area := image.Rect(x0, y0, x1, y1).Intersect(c.dst.Bounds())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		v := b.Min.Y + (y-y0)*b.Dy()/(y1-y0)
		for x := area.Min.X; x < area.Max.X; x++ {
			cell := color.NRGBAModel.Convert(o.img.At(b.Min.X+(x-x0)*b.Dx()/(x1-x0), v)).(color.NRGBA)
			if cell.A > 0 {
				c.dst.Set(x, y, cell)
			}
		}
	}
}
