package report

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image/color"
	"math"
	"unicode/utf16"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// PDF returns the figure as a document with one page of its size. Letters are outlines, which look the same everywhere
// but cannot be selected.
func (f *Figure) PDF() []byte {
	p := &pdf{h: f.h}
	fmt.Fprintf(&p.page, "0.75 0 0 0.75 0 0 cm\n") // pixels to points
	for i := range f.ops {
		p.draw(&f.ops[i])
	}
	return p.document(f.w*0.75, f.h*0.75, f.Title)
}

// pdf is a page being written, in pixels with y upwards.
type pdf struct {
	page   bytes.Buffer
	h      float64
	images [][]byte // objects
	alphas []uint8  // opacities in use
}

func (p *pdf) draw(o *op) {
	switch o.kind {
	case opText:
		p.text(o)
		return
	case opImage:
		p.image(o)
		return
	}
	fill, stroke := o.fill.c.A > 0, o.stroke.c.A > 0 && o.width > 0
	if !fill && !stroke {
		return
	}
	p.page.WriteString("q\n")
	if fill {
		p.color(o.fill.c, "rg", "ca")
	}
	if stroke {
		p.color(o.stroke.c, "RG", "CA")
		fmt.Fprintf(&p.page, "%s w 1 j [", num(o.width))
		for _, d := range o.dash {
			fmt.Fprintf(&p.page, "%s ", num(d))
		}
		p.page.WriteString("] 0 d\n")
	}
	p.shape(o)
	p.page.WriteString(map[[2]bool]string{{true, false}: "f", {false, true}: "S",
		{true, true}: "B"}[[2]bool{fill, stroke}] + "\nQ\n")
}

// shape writes the outline of a path, a rectangle or a circle.
func (p *pdf) shape(o *op) {
	switch o.kind {
	case opPath:
		for i, q := range o.pts {
			p.at(q.x, q.y, map[bool]string{true: "m", false: "l"}[i == 0])
		}
		if o.closed {
			p.page.WriteString("h\n")
		}
	case opRect:
		fmt.Fprintf(&p.page, "%s %s %s %s re\n", num(o.x), num(p.h-o.y-o.h), num(o.w), num(o.h))
	case opCircle:
		const k = 0.5522847498 // for a quarter circle as a cubic curve
		r := o.w
		p.at(o.x+r, o.y, "m")
		for _, q := range [][6]float64{{r, k * r, k * r, r, 0, r}, {-k * r, r, -r, k * r, -r, 0},
			{-r, -k * r, -k * r, -r, 0, -r}, {k * r, -r, r, -k * r, r, 0}} {
			p.at(o.x+q[0], o.y+q[1], "")
			p.at(o.x+q[2], o.y+q[3], "")
			p.at(o.x+q[4], o.y+q[5], "c")
		}
		p.page.WriteString("h\n")
	}
}

// at writes a point of the figure and an operator.
func (p *pdf) at(x, y float64, operator string) {
	fmt.Fprintf(&p.page, "%s %s %s\n", num(x), num(p.h-y), operator)
}

func (p *pdf) color(c color.NRGBA, operator, alpha string) {
	fmt.Fprintf(&p.page, "%.3f %.3f %.3f %s\n", float64(c.R)/255, float64(c.G)/255, float64(c.B)/255, operator)
	if c.A == 255 {
		return
	}
	known := false
	for _, a := range p.alphas {
		known = known || a == c.A
	}
	if !known {
		p.alphas = append(p.alphas, c.A)
	}
	fmt.Fprintf(&p.page, "/%s%d gs\n", alpha, c.A)
}

// text fills the outlines of the letters, in font units.
func (p *pdf) text(o *op) {
	width := textWidth(o.text, o.size, o.bold)
	x, y := o.x-o.anchor*width, p.h-o.y-0.35*o.size
	turn := "1 0 0 1"
	if o.rotate {
		x, y = o.x+0.35*o.size, p.h-o.y-o.anchor*width
		turn = "0 1 -1 0"
	}
	p.page.WriteString("q\n")
	p.color(o.fill.c, "rg", "ca")
	fmt.Fprintf(&p.page, "%s %s %s cm %[4]f 0 0 %[4]f 0 0 cm\n", turn, num(x), num(y), o.size/em)
	setText(o.text, o.bold, p.glyph)
	p.page.WriteString("f\nQ\n")
}

// glyph writes an outline that starts at pen.
func (p *pdf) glyph(segments sfnt.Segments, pen float64) {
	at := func(q fixed.Point26_6) (x, y float64) { return pen + float64(q.X), -float64(q.Y) }
	var x, y float64
	for i, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				p.page.WriteString("h\n")
			}
			x, y = at(s.Args[0])
			fmt.Fprintf(&p.page, "%s %s m\n", num(x), num(y))
		case sfnt.SegmentOpLineTo:
			x, y = at(s.Args[0])
			fmt.Fprintf(&p.page, "%s %s l\n", num(x), num(y))
		case sfnt.SegmentOpQuadTo: // as a cubic curve
			cx, cy := at(s.Args[0])
			ex, ey := at(s.Args[1])
			fmt.Fprintf(&p.page, "%s %s %s %s %s %s c\n",
				num(x+2*(cx-x)/3), num(y+2*(cy-y)/3), num(ex+2*(cx-ex)/3), num(ey+2*(cy-ey)/3), num(ex), num(ey))
			x, y = ex, ey
		case sfnt.SegmentOpCubeTo:
			ax, ay := at(s.Args[0])
			bx, by := at(s.Args[1])
			x, y = at(s.Args[2])
			fmt.Fprintf(&p.page, "%s %s %s %s %s %s c\n", num(ax), num(ay), num(bx), num(by), num(x), num(y))
		}
	}
	if len(segments) > 0 {
		p.page.WriteString("h\n")
	}
}

// image places an image. The page is visible through transparent pixels.
func (p *pdf) image(o *op) {
	b := o.img.Bounds()
	pixels := make([]byte, 0, 3*b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBAModel.Convert(o.img.At(x, y)).(color.NRGBA)
			over := func(v uint8) byte {
				a := float64(c.A) / 255
				return byte(math.Round(a*float64(v) + (1-a)*255))
			}
			pixels = append(pixels, over(c.R), over(c.G), over(c.B))
		}
	}
	head := fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB "+
		"/BitsPerComponent 8", b.Dx(), b.Dy())
	p.images = append(p.images, stream(head, pixels))
	fmt.Fprintf(&p.page, "q %s 0 0 %s %s %s cm /I%d Do Q\n",
		num(o.w), num(o.h), num(o.x), num(p.h-o.y-o.h), len(p.images))
}

// stream returns an object with a compressed body.
func stream(head string, data []byte) []byte {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(data) // writing to memory does not fail
	w.Close()
	var b bytes.Buffer
	fmt.Fprintf(&b, "<< %s /Filter /FlateDecode /Length %d >>\nstream\n", head, z.Len())
	b.Write(z.Bytes())
	b.WriteString("\nendstream")
	return b.Bytes()
}

// document returns the file: catalog, page, resources and content, and the table of their offsets.
func (p *pdf) document(w, h float64, title string) []byte {
	const fixedObjects = 5 // information, catalog, pages, page, content
	var resources bytes.Buffer
	resources.WriteString("<< /XObject <<")
	for i := range p.images {
		fmt.Fprintf(&resources, " /I%d %d 0 R", i+1, fixedObjects+1+i)
	}
	resources.WriteString(" >> /ExtGState <<")
	for _, a := range p.alphas {
		v := num(float64(a) / 255)
		fmt.Fprintf(&resources, " /ca%d << /ca %s >> /CA%d << /CA %s >>", a, v, a, v)
	}
	resources.WriteString(" >> >>")
	objects := [][]byte{
		fmt.Appendf(nil, "<< /Producer (rao) /Title <%x> >>", utf16BE(title)),
		[]byte("<< /Type /Catalog /Pages 3 0 R >>"),
		[]byte("<< /Type /Pages /Kids [4 0 R] /Count 1 >>"),
		fmt.Appendf(nil, "<< /Type /Page /Parent 3 0 R /MediaBox [0 0 %s %s] /Contents 5 0 R /Resources %s >>",
			num(w), num(h), resources.Bytes()),
		stream("", p.page.Bytes()),
	}
	objects = append(objects, p.images...)
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	where := make([]int, len(objects))
	for i, o := range objects {
		where[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range where {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 2 0 R /Info 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

// utf16BE encodes text for the information of a PDF, as UTF-16 with a byte order mark.
func utf16BE(s string) []byte {
	b := []byte{0xfe, 0xff}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u>>8), byte(u))
	}
	return b
}
