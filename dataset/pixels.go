package dataset

import (
	"image"
	"image/color"
)

// grayPixels copies a gray image to dst, row by row, with values 0-255. 16-bit images keep their fractions.
func grayPixels(dst []float32, m image.Image) {
	b := m.Bounds()
	w := b.Dx()
	switch g := m.(type) {
	case *image.Gray:
		for y := range b.Dy() {
			row := g.Pix[y*g.Stride : y*g.Stride+w]
			for x, v := range row {
				dst[y*w+x] = float32(v)
			}
		}
	default:
		for y := range b.Dy() {
			for x := range w {
				v := color.Gray16Model.Convert(m.At(b.Min.X+x, b.Min.Y+y)).(color.Gray16).Y
				dst[y*w+x] = float32(v) / 257
			}
		}
	}
}

// rgbPixels copies an image to dst, row by row, with the three colors of each pixel adjacent, values 0-255, and
// without premultiplied transparency.
func rgbPixels(dst []float32, m image.Image) {
	b := m.Bounds()
	w := b.Dx()
	switch g := m.(type) {
	case *image.YCbCr:
		for y := range b.Dy() {
			for x := range w {
				i, c := g.YOffset(b.Min.X+x, b.Min.Y+y), g.COffset(b.Min.X+x, b.Min.Y+y)
				red, green, blue := color.YCbCrToRGB(g.Y[i], g.Cb[c], g.Cr[c])
				put(dst, y*w+x, red, green, blue)
			}
		}
	case *image.NRGBA:
		putRows(dst, w, b.Dy(), g.Pix, g.Stride)
	case *image.RGBA: // decoders use it for opaque images
		putRows(dst, w, b.Dy(), g.Pix, g.Stride)
	default:
		for y := range b.Dy() {
			for x := range w {
				c := color.NRGBAModel.Convert(m.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
				put(dst, y*w+x, c.R, c.G, c.B)
			}
		}
	}
}

// putRows puts the pixels of rows of four bytes per pixel, of which the last is the transparency.
func putRows(dst []float32, width, height int, pixels []byte, stride int) {
	for y := range height {
		for x := range width {
			p := pixels[y*stride+4*x:]
			put(dst, y*width+x, p[0], p[1], p[2])
		}
	}
}

func put(dst []float32, pixel int, r, g, b uint8) {
	dst[3*pixel], dst[3*pixel+1], dst[3*pixel+2] = float32(r), float32(g), float32(b)
}
