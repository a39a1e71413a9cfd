package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"image"
	"image/png"
	"strconv"
	"strings"
)

// fontStack names fonts with the same widths as the font of PNG.
const fontStack = "Helvetica, Arial, 'Liberation Sans', sans-serif"

// SVG returns the figure as a stand-alone SVG document with selectable text, and with its title and description for
// screen readers.
func (f *Figure) SVG() []byte {
	h := fnv.New32a()
	fmt.Fprint(h, f.Title, f.Alt, f.w, f.h, len(f.ops))
	return f.svg(fmt.Sprintf("f%08x", h.Sum32()))
}

// svg writes the figure with ids that start with id, which no other figure on the same page may have.
func (f *Figure) svg(id string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" `+
		`aria-labelledby="%s-t %s-d" font-family="%s">`,
		num(f.w), num(f.h), num(f.w), num(f.h), id, id, fontStack)
	fmt.Fprintf(&b, "\n<title id=\"%s-t\">%s</title><desc id=\"%s-d\">%s</desc>\n",
		id, escape(f.Title), id, escape(f.Alt))
	for i := range f.ops {
		f.ops[i].svg(&b)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// num writes a coordinate with at most two decimals.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" || s == "" {
		return "0"
	}
	return s
}

func (o *op) svg(b *bytes.Buffer) {
	var class, attr string
	switch o.kind {
	case opText:
		class, attr = o.textSVG()
		fmt.Fprintf(b, "<text%s%s>%s</text>\n", class, attr, escape(o.text))
		return
	case opRect:
		attr = fmt.Sprintf(` x="%s" y="%s" width="%s" height="%s"`, num(o.x), num(o.y), num(o.w), num(o.h))
		if o.round > 0 {
			attr += fmt.Sprintf(` rx="%s"`, num(o.round))
		}
		o.element(b, "rect", attr)
	case opCircle:
		o.element(b, "circle", fmt.Sprintf(` cx="%s" cy="%s" r="%s"`, num(o.x), num(o.y), num(o.w)))
	case opPath:
		o.element(b, "path", ` d="`+o.data()+`"`)
	case opImage:
		o.element(b, "image", fmt.Sprintf(` x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" `+
			`style="image-rendering:pixelated" href="data:image/png;base64,%s"`,
			num(o.x), num(o.y), num(o.w), num(o.h), base64.StdEncoding.EncodeToString(encodePNG(o.img))))
	}
}

// data returns the operation as SVG path data.
func (o *op) data() string {
	var b strings.Builder
	for i, p := range o.pts {
		switch {
		case i == 0:
			b.WriteByte('M')
		default:
			b.WriteByte('L')
		}
		b.WriteString(num(p.x))
		b.WriteByte(' ')
		b.WriteString(num(p.y))
	}
	if o.closed {
		b.WriteByte('Z')
	}
	return b.String()
}

// element writes a shape with its paints and its tip.
func (o *op) element(b *bytes.Buffer, name, attr string) {
	if o.kind != opImage {
		attr += o.paints()
	}
	if o.tip == "" {
		fmt.Fprintf(b, "<%s%s/>\n", name, attr)
		return
	}
	fmt.Fprintf(b, "<%s%s><title>%s</title></%s>\n", name, attr, escape(o.tip), name)
}

func (o *op) paints() string {
	var b strings.Builder
	var classes []string
	if o.fill.c.A == 0 {
		b.WriteString(` fill="none"`)
	} else {
		fmt.Fprintf(&b, ` fill="%s"`, hexOf(o.fill.c))
		if o.fill.c.A < 255 {
			fmt.Fprintf(&b, ` fill-opacity="%s"`, num(float64(o.fill.c.A)/255))
		}
		if o.fill.role != "" {
			classes = append(classes, "f-"+o.fill.role)
		}
	}
	if o.stroke.c.A > 0 && o.width > 0 {
		fmt.Fprintf(&b, ` stroke="%s" stroke-width="%s" stroke-linejoin="round"`, hexOf(o.stroke.c), num(o.width))
		if o.stroke.c.A < 255 {
			fmt.Fprintf(&b, ` stroke-opacity="%s"`, num(float64(o.stroke.c.A)/255))
		}
		for i, d := range o.dash {
			if i == 0 {
				b.WriteString(` stroke-dasharray="`)
			} else {
				b.WriteByte(' ')
			}
			b.WriteString(num(d))
		}
		if len(o.dash) > 0 {
			b.WriteByte('"')
		}
		if o.stroke.role != "" {
			classes = append(classes, "s-"+o.stroke.role)
		}
	}
	if len(classes) > 0 {
		fmt.Fprintf(&b, ` class="%s"`, strings.Join(classes, " "))
	}
	return b.String()
}

func (o *op) textSVG() (class, attr string) {
	if o.fill.role != "" {
		class = fmt.Sprintf(` class="f-%s"`, o.fill.role)
	}
	anchor := ""
	switch {
	case o.anchor > 0.75:
		anchor = ` text-anchor="end"`
	case o.anchor > 0.25:
		anchor = ` text-anchor="middle"`
	}
	weight := ""
	if o.bold {
		weight = ` font-weight="bold"`
	}
	x, y := o.x, o.y+0.35*o.size
	turn := ""
	if o.rotate {
		x, y = o.x+0.35*o.size, o.y
		turn = fmt.Sprintf(` transform="rotate(-90 %s %s)"`, num(x), num(y))
	}
	return class, fmt.Sprintf(` x="%s" y="%s" font-size="%s" fill="%s"%s%s%s`, num(x), num(y), num(o.size),
		hexOf(o.fill.c), anchor, weight, turn)
}

// encodePNG encodes an image. The bytes depend only on the pixels.
func encodePNG(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("report: " + err.Error()) // writing to memory does not fail
	}
	return b.Bytes()
}
