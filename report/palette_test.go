package report

import (
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// No two classes have the same style. A few classes differ in color, many names also in dashes, and numbers are placed
// on a color scale.
func TestClassesAreToldApart(t *testing.T) {
	names, numbers := make([]string, 40), make([]string, 41)
	for i := range names {
		names[i] = "class " + strconv.Itoa(i)
	}
	for i := range numbers {
		numbers[i] = strconv.FormatFloat(float64(i)*0.3-6, 'f', 1, 64)
	}
	for _, classes := range [][]string{names[:10], names, numbers, numbers[:10]} {
		s := classStyles(classes)
		seen := map[string]bool{}
		for i := range classes {
			look := hexOf(s.paints[i].c)
			for _, d := range s.dashes[i] {
				look += " " + strconv.FormatFloat(d, 'g', -1, 64)
			}
			if seen[look] {
				t.Errorf("%d classes: %s looks like another, %s", len(classes), classes[i], look)
			}
			seen[look] = true
		}
		testkit.Equal(t, s.scale, len(classes) == 41, len(classes), "classes on a scale")
	}
	if s := classStyles(numbers); s.low != "−6" || s.high != "6" {
		t.Errorf("the scale runs from %s to %s", s.low, s.high)
	}
}

// At most about a fiftieth of 784 weights have the colors of the ends of the scale, so filters keep their shades.
func TestFiltersKeepTheirShades(t *testing.T) {
	f := mat.NewDense(784, 1, nil)
	for i := range 784 {
		f.Set(i, 0, 1/float64(i+1))
	}
	limit := robustLimit(f, 0)
	full := 0
	for i := range 784 {
		if f.At(i, 0) >= limit {
			full++
		}
	}
	if full < 8 || full > 784/50+1 {
		t.Errorf("%d of 784 weights have the ends of the scale", full)
	}
}
