package report

import (
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// fonts are Liberation Sans, regular and bold, which have the widths of Helvetica and Arial.
var fonts = sync.OnceValue(func() (both [2]*sfnt.Font) {
	for i, b := range [2][]byte{liberationsansregular.TTF, liberationsansbold.TTF} {
		f, err := sfnt.Parse(b)
		if err != nil {
			panic("report: " + err.Error())
		}
		both[i] = f
	}
	return both
})

// em is the number of font units per em.
const em = 2048

// setText calls visit, if it is not nil, with the outline and the start position of each letter of s. It returns the
// width of s. All lengths are in font units, and y of an outline points down.
func setText(s string, bold bool, visit func(outline sfnt.Segments, pen float64)) (width float64) {
	f := fonts()[0]
	if bold {
		f = fonts()[1]
	}
	var buf sfnt.Buffer
	var last sfnt.GlyphIndex
	for i, r := range s {
		g, err := f.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if kern, err := f.Kern(&buf, last, g, em, font.HintingNone); err == nil {
				width += float64(kern)
			}
		}
		if visit != nil {
			if outline, err := f.LoadGlyph(&buf, g, fixed.Int26_6(em), nil); err == nil {
				visit(outline, width)
			}
		}
		if advance, err := f.GlyphAdvance(&buf, g, em, font.HintingNone); err == nil {
			width += float64(advance)
		}
		last = g
	}
	return width
}

// textWidth returns the width of s in pixels.
func textWidth(s string, size float64, bold bool) float64 {
	return setText(s, bold, nil) * size / em
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
