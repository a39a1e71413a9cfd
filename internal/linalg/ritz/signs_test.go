package ritz

import (
	"slices"
	"testing"
)

// A column turns with its largest entry, the first of two that are equal to rounding.
func TestFixSigns(t *testing.T) {
	x := []float64{
		1, -1, 0.5,
		-3, 2, -1,
		2, 0, 1 + 1e-12,
	}
	if turned := FixSigns(x, 3, 3); !slices.Equal(turned, []bool{true, false, true}) {
		t.Errorf("turned %v", turned)
	}
	if want := []float64{-1, -1, -0.5, 3, 2, 1, -2, 0, -1 - 1e-12}; !slices.Equal(x, want) {
		t.Errorf("columns %v, want %v", x, want)
	}
}
