package testkit

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// tokens matches the numbers and the embedded images of a picture.
var tokens = regexp.MustCompile(`data:image/png;base64,[A-Za-z0-9+/=]+|-?[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?`)

// ids matches identifiers that are derived from the bytes of a picture and carry no other information.
var ids = regexp.MustCompile(`\bf[0-9a-f]{8}-`)

// SamePicture returns an error that describes how got, an SVG, differs from want. It returns nil if the difference is
// due to rounding, for example on another processor. Numbers may differ by a pixel, and shades of images slightly.
func SamePicture(got, want []byte) error {
	a, b := ids.ReplaceAllString(string(got), ""), ids.ReplaceAllString(string(want), "")
	x, y := tokens.FindAllStringIndex(a, -1), tokens.FindAllStringIndex(b, -1)
	if len(x) != len(y) {
		return fmt.Errorf("the picture has %d numbers, but must have %d", len(x), len(y))
	}
	endA, endB := 0, 0
	for k := range x {
		s, t := a[x[k][0]:x[k][1]], b[y[k][0]:y[k][1]]
		if between, wanted := a[endA:x[k][0]], b[endB:y[k][0]]; between != wanted {
			return fmt.Errorf("the text between two numbers is %q, but must be %q", between, wanted)
		}
		if endA, endB = x[k][1], y[k][1]; s == t {
			continue
		}
		if err := sameToken(s, t); err != nil {
			return err
		}
	}
	if a[endA:] != b[endB:] {
		return fmt.Errorf("the picture ends in %q, but must end in %q", a[endA:], b[endB:])
	}
	return nil
}

func sameToken(s, t string) error {
	const head = "data:image/png;base64,"
	if strings.HasPrefix(s, head) && strings.HasPrefix(t, head) {
		return sameImage(s[len(head):], t[len(head):])
	}
	v, err := strconv.ParseFloat(s, 64)
	w, other := strconv.ParseFloat(t, 64)
	if err != nil || other != nil || math.Abs(v-w) > 1 {
		return fmt.Errorf("a number is %.40s, but must be %.40s", s, t)
	}
	return nil
}

// sameImage compares two images. Pixels may differ by a twentieth of their range.
func sameImage(s, t string) error {
	var both [2]image.Image
	for k, text := range []string{s, t} {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return err
		}
		if both[k], err = png.Decode(bytes.NewReader(b)); err != nil {
			return err
		}
	}
	r := both[0].Bounds()
	if r != both[1].Bounds() {
		return fmt.Errorf("an image has the bounds %v, but must have %v", r, both[1].Bounds())
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			ar, ag, ab, _ := both[0].At(x, y).RGBA()
			br, bg, bb, _ := both[1].At(x, y).RGBA()
			for k, v := range [3]uint32{ar, ag, ab} {
				if w := [3]uint32{br, bg, bb}[k]; math.Abs(float64(v)-float64(w)) > 0xffff/20 {
					return fmt.Errorf("pixel %d, %d of an image differs", x, y)
				}
			}
		}
	}
	return nil
}
