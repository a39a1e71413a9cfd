// Package electrodes computes the positions of electrodes on the head.
package electrodes

import (
	"fmt"
	"math"
	"strings"
)

// scalpRows are the rows of the 10-10 system from front to back: the letters of the row and of its lateral electrodes;
// the angle from the vertex to the midline electrode (positive to the front); and the azimuth, from the nose, of the
// electrode on the ring through Fpz, T7, Oz and T8. Angles are in degrees.
var scalpRows = []struct {
	letters, ring string
	middle, turn  float64
}{
	{"FP", "FP", 72, 18}, {"AF", "AF", 54, 36}, {"F", "F", 36, 54}, {"FC", "FT", 18, 72}, {"C", "T", 0, 90},
	{"CP", "TP", -18, 108}, {"P", "P", -36, 126}, {"PO", "PO", -54, 144}, {"O", "O", -72, 162}, {"I", "I", -90, 162},
}

// oldNames maps former names of electrodes to current ones.
var oldNames = map[string]string{"T3": "T7", "T4": "T8", "T5": "P7", "T6": "P8"}

// Position returns the position of an electrode of the 10-10 system on the unit sphere: x to the right, y to the nose,
// z up. ok is false for other names. Prefixes such as "EEG " and suffixes such as "-REF" or "." are ignored.
func Position(name string) (place [3]float64, ok bool) {
	s := strings.ToUpper(strings.TrimSpace(name))
	s = strings.TrimLeft(strings.TrimPrefix(s, "EEG"), " -_:")
	s = strings.TrimRight(s, ".")
	if i := strings.IndexAny(s, "-_ :"); i > 0 {
		s = s[:i]
	}
	if n, old := oldNames[s]; old {
		s = n
	}
	letters := strings.TrimRight(s, "0123456789Z")
	digits := s[len(letters):]
	for _, r := range scalpRows {
		if letters != r.letters && letters != r.ring {
			continue
		}
		step := 0.0
		if digits != "Z" {
			var n int
			if _, err := fmt.Sscanf(digits, "%d", &n); err != nil || fmt.Sprint(n) != digits || n < 1 || n > 10 {
				return place, false
			}
			step = float64((n + 1) / 2)
			if n%2 == 1 {
				step = -step
			}
		}
		return scalpPoint(r.middle, r.turn, step, r.letters), true
	}
	return place, false
}

// scalpPoint returns the position of the electrode that is step places to the right of the midline of its row. A
// negative step is to the left. The electrode is on an arc of the sphere from the midline to the ring. The arc has four
// places, or one place in the rows FP, O and I.
func scalpPoint(middle, turn, step float64, row string) (p [3]float64) {
	rad := math.Pi / 180
	full := 4.0 // number of places from the midline to the ring
	if row == "FP" || row == "O" || row == "I" {
		full = 1
	}
	side := math.Copysign(1, step)
	a := [3]float64{0, math.Sin(middle * rad), math.Cos(middle * rad)}
	b := [3]float64{side * math.Sin(72*rad) * math.Sin(turn*rad), math.Sin(72*rad) * math.Cos(turn*rad),
		math.Cos(72 * rad)}
	t := math.Abs(step) / full
	if full == 1 {
		t = min(t, 1)
	}
	angle := math.Acos(max(-1, min(1, a[0]*b[0]+a[1]*b[1]+a[2]*b[2])))
	u, v := math.Sin((1-t)*angle)/math.Sin(angle), math.Sin(t*angle)/math.Sin(angle)
	for i := range p {
		p[i] = u*a[i] + v*b[i]
	}
	return p
}
