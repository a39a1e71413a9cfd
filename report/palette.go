package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"rao/internal/linalg/vec"
)

// paint is a color with a role. On pages, the roles ink, soft, grid and paper have other colors in a dark theme.
type paint struct {
	c    color.NRGBA
	role string // "", "ink", "soft", "grid", "paper"
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

var (
	ink   = paint{rgb(0x1f2933), "ink"}
	soft  = paint{rgb(0x5b6875), "soft"}
	grid  = paint{rgb(0xdfe3e8), "grid"}
	paper = paint{rgb(0xffffff), "paper"}
)

// series are the colors of classes and curves, from Okabe and Ito (2008). They can be distinguished with any color
// vision. Yellow is darkened to be visible on white.
var series = [...]color.NRGBA{
	rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7),
	rgb(0xe69f00), rgb(0x56b4e9), rgb(0x6b4fa0), rgb(0x8a8d00), rgb(0x7f4f2a), rgb(0x66717d),
}

func seriesPaint(i int) paint { return paint{c: series[i%len(series)]} }

// styles distinguish classes by color. If there are more classes than colors, dashes and names are added, or, for
// numbers, the color is a position on a scale.
type styles struct {
	paints    []paint
	dashes    [][]float64
	scale     bool // the colors are those of the ramp ordered, from low to high
	low, high string
}

// dashes are the dash patterns for each further round of colors.
var dashes = [...][]float64{nil, {6, 3}, {2, 2}, {9, 3, 2, 3}}

// classStyles returns the styles of classes. If there are more classes than colors and all names are numbers, the
// styles are a scale.
func classStyles(names []string) styles {
	s := styles{paints: make([]paint, len(names)), dashes: make([][]float64, len(names))}
	for i := range names {
		s.paints[i], s.dashes[i] = seriesPaint(i), dashes[i/len(series)%len(dashes)]
	}
	values := make([]float64, len(names))
	for i, n := range names {
		v, err := strconv.ParseFloat(n, 64)
		if err != nil || !vec.Finite(v) {
			return s
		}
		values[i] = v
	}
	if len(names) <= len(series) {
		return s
	}
	low, high := slices.Min(values), slices.Max(values)
	s.scale, s.low, s.high = true, minus(number(low)), minus(number(high))
	for i, v := range values {
		s.paints[i], s.dashes[i] = paint{c: ordered.at((v - low) / (high - low))}, nil
	}
	return s
}

// fade returns p with the given opacity.
func (p paint) fade(alpha float64) paint {
	p.c.A = uint8(math.Round(255 * alpha))
	return p
}

func hexOf(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// ramp is a color scale given by equally spaced colors.
type ramp []color.NRGBA

// diverging runs from blue through near-white to red, for negative, zero and positive values.
var diverging = ramp{rgb(0x1f5a9e), rgb(0x4a8bc6), rgb(0xa3cae5), rgb(0xf4f4f2), rgb(0xf5bfa3), rgb(0xdb7556),
	rgb(0xa8262d)}

// rising runs from near-white to deep blue, for values from zero up.
var rising = ramp{rgb(0xf6f8fb), rgb(0xd3e3f1), rgb(0x9cc4e2), rgb(0x5a9ccd), rgb(0x2270b0), rgb(0x0b4582)}

// ordered runs from dark blue through green to yellow in perceptually equal steps, from low to high.
var ordered = ramp{rgb(0x440154), rgb(0x46327e), rgb(0x365c8d), rgb(0x277f8e), rgb(0x1fa187), rgb(0x4ac16d),
	rgb(0xa0da39), rgb(0xe2c90f)}

// at returns the color at v in [0, 1]. Values outside are clamped, and NaN is gray.
func (r ramp) at(v float64) color.NRGBA {
	if math.IsNaN(v) {
		return rgb(0xb8bec5)
	}
	v = math.Max(0, math.Min(1, v)) * float64(len(r)-1)
	i := min(int(v), len(r)-2)
	f := v - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + f*(float64(b)-float64(a)))) }
	return color.NRGBA{mix(r[i].R, r[i+1].R), mix(r[i].G, r[i+1].G), mix(r[i].B, r[i+1].B), 255}
}

// signed returns the color of v on a scale from −limit to limit.
func signed(v, limit float64) color.NRGBA {
	if limit <= 0 {
		return diverging.at(0.5)
	}
	return diverging.at(0.5 + v/limit/2)
}

// onto returns a text color that is readable on the color c.
func onto(c color.NRGBA) paint {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) > 150 {
		return paint{c: ink.c}
	}
	return paint{c: rgb(0xffffff)}
}
