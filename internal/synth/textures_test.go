package synth

import (
	"slices"
	"testing"
)

func TestTexturesAreDrawnBySeed(t *testing.T) {
	draw := func(seed uint64) []float64 { _, _, x, _ := Textures(3, 10, seed).X.RawRows(); return x }
	a := draw(1)
	if len(a) != 12*100 || slices.Min(a) < 0 || slices.Max(a) > 255 {
		t.Errorf("%d values from %g to %g", len(a), slices.Min(a), slices.Max(a))
	}
	if !slices.Equal(a, draw(1)) || slices.Equal(a, draw(2)) {
		t.Error("a seed does not stand for its images")
	}
}
