package report

import (
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// fonts holds the faces that PNG and the measuring of text use: Liberation Sans,
// of the same widths as Helvetica and Arial.
var fonts = sync.OnceValue(func() *font.Cache {
	regular, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic("report: " + err.Error())
	}
	bold, err := opentype.Parse(liberationsansbold.TTF)
	if err != nil {
		panic("report: " + err.Error())
	}
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	g := f
	g.Weight = xfont.WeightBold
	return font.NewCache(font.Collection{{Font: f, Face: regular}, {Font: g, Face: bold}})
})

// fontLock guards the cache and its faces, which are not safe for concurrent use.
var fontLock sync.Mutex

func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return fonts().Lookup(f, vg.Length(size*0.75))
}

// textWidth returns the width of s in pixels.
func textWidth(s string, size float64, bold bool) float64 {
	fontLock.Lock()
	defer fontLock.Unlock()
	f := face(size, bold)
	return float64(f.Width(s)) / 0.75
}

// fit shortens s with an ellipsis until it is at most w pixels wide.
func fit(s string, w, size float64, bold bool) string {
	if textWidth(s, size, bold) <= w {
		return s
	}
	r := []rune(s)
	lo, hi := 0, len(r)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if textWidth(string(r[:mid])+"…", size, bold) <= w {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return string(r[:lo]) + "…"
}

// PNG returns the figure as a PNG image at the given dots per inch, from 24 to 1200; at 96 its size in pixels is Size.
// Values outside this range are clamped.
func (f *Figure) PNG(dpi int) []byte {
	dpi = max(24, min(dpi, 1200))
	fontLock.Lock()
	defer fontLock.Unlock()
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(f.w*0.75), vg.Length(f.h*0.75)), vgimg.UseDPI(dpi),
		vgimg.UseBackgroundColor(paper.c))
	r := raster{c: c, h: f.h, dpi: dpi, scale: float64(dpi) / 96}
	for i := range f.ops {
		r.draw(&f.ops[i])
	}
	return signPNG(encodePNG(c.Image()))
}

// signPNG adds the text chunk "Software" behind the header of a PNG image.
func signPNG(b []byte) []byte {
	const signature, header = 8, 4 + 4 + 13 + 4 // length, name, IHDR and checksum
	text := []byte("tEXtSoftware\x00rao")
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(text)-4)), text...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(text))
	return slices.Insert(b, signature+header, chunk...)
}

type raster struct {
	c     *vgimg.Canvas
	h     float64
	dpi   int
	scale float64 // dots a pixel
}

// at turns pixels downwards into points upwards.
func (r raster) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x * 0.75), Y: vg.Length((r.h - y) * 0.75)}
}

func (r raster) draw(o *op) {
	switch o.kind {
	case opText:
		r.text(o)
		return
	case opImage:
		r.image(o)
		return
	}
	var p vg.Path
	switch o.kind {
	case opRect:
		p = r.rect(o)
	case opCircle:
		c := r.at(o.x, o.y)
		rad := vg.Length(o.w * 0.75)
		p.Move(vg.Point{X: c.X + rad, Y: c.Y})
		p.Arc(c, rad, 0, 2*math.Pi)
		p.Close()
	case opPath:
		for i, q := range o.pts {
			if i == 0 {
				p.Move(r.at(q.x, q.y))
			} else {
				p.Line(r.at(q.x, q.y))
			}
		}
		if o.closed {
			p.Close()
		}
	}
	if o.fill.c.A > 0 {
		r.c.SetColor(o.fill.c)
		r.c.Fill(p)
	}
	if o.stroke.c.A > 0 && o.width > 0 {
		r.c.SetColor(o.stroke.c)
		r.c.SetLineWidth(vg.Length(o.width * 0.75))
		var dash []vg.Length
		for _, d := range o.dash {
			dash = append(dash, vg.Length(d*0.75))
		}
		r.c.SetLineDash(dash, 0)
		r.c.Stroke(p)
	}
}

func (r raster) rect(o *op) (p vg.Path) {
	rad := math.Min(o.round, math.Min(o.w, o.h)/2)
	if rad <= 0 {
		p.Move(r.at(o.x, o.y))
		p.Line(r.at(o.x+o.w, o.y))
		p.Line(r.at(o.x+o.w, o.y+o.h))
		p.Line(r.at(o.x, o.y+o.h))
		p.Close()
		return p
	}
	corner := func(x, y, from float64) {
		for k := range 7 {
			a := (from + float64(k)*15) * math.Pi / 180
			q := r.at(x+rad*math.Cos(a), y+rad*math.Sin(a))
			if len(p) == 0 {
				p.Move(q)
			} else {
				p.Line(q)
			}
		}
	}
	corner(o.x+o.w-rad, o.y+o.h-rad, 0)
	corner(o.x+rad, o.y+o.h-rad, 90)
	corner(o.x+rad, o.y+rad, 180)
	corner(o.x+o.w-rad, o.y+rad, 270)
	p.Close()
	return p
}

func (r raster) text(o *op) {
	f := face(o.size, o.bold)
	r.c.SetColor(o.fill.c)
	w := float64(f.Width(o.text)) / 0.75
	if !o.rotate {
		r.c.FillString(f, r.at(o.x-o.anchor*w, o.y+0.35*o.size), o.text)
		return
	}
	// The rasteriser sets turned glyphs unevenly: write level, then turn the dots.
	w, h := w+4, o.size*1.5
	level := vgimg.NewWith(vgimg.UseWH(vg.Length(w*0.75), vg.Length(h*0.75)), vgimg.UseDPI(r.dpi),
		vgimg.UseBackgroundColor(color.Transparent))
	level.SetColor(o.fill.c)
	level.FillString(f, vg.Point{X: 1.5, Y: vg.Length(o.size * 0.4 * 0.75)}, o.text)
	src, dst := level.Image(), r.c.Image()
	b := src.Bounds()
	turned := image.NewRGBA(image.Rect(0, 0, b.Dy(), b.Dx()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			turned.Set(y, b.Dx()-1-x, src.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	left := int(math.Round((o.x + 0.35*o.size - h + o.size*0.4) * r.scale))
	upper := int(math.Round((o.y + o.anchor*(w-4) + 2 - w) * r.scale))
	draw.Draw(dst, turned.Bounds().Add(image.Pt(left, upper)), turned, image.Point{}, draw.Over)
}

// image draws cells as sharp squares: each dot takes the cell below it.
func (r raster) image(o *op) {
	b := o.img.Bounds()
	dst := r.c.Image()
	x0, y0 := int(math.Round(o.x*r.scale)), int(math.Round(o.y*r.scale))
	x1, y1 := int(math.Round((o.x+o.w)*r.scale)), int(math.Round((o.y+o.h)*r.scale))
	area := image.Rect(x0, y0, x1, y1).Intersect(dst.Bounds())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		v := b.Min.Y + (y-y0)*b.Dy()/(y1-y0)
		for x := area.Min.X; x < area.Max.X; x++ {
			c := color.NRGBAModel.Convert(o.img.At(b.Min.X+(x-x0)*b.Dx()/(x1-x0), v)).(color.NRGBA)
			if c.A > 0 {
				dst.Set(x, y, c)
			}
		}
	}
}
