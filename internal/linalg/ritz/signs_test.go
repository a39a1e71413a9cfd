package ritz

import (
	"testing"

	"rao/internal/testkit"
)

// The sign of a column follows its largest entry, or the first of several that are equal up to rounding.
func TestFixSigns(t *testing.T) {
	x := []float64{
		1, -1, 0.5,
		-3, 2, -1,
		2, 0, 1 + 1e-12,
	}
	testkit.EqualSlices(t, FixSigns(x, 3, 3), []bool{true, false, true}, "turned")
	testkit.EqualSlices(t, x, []float64{-1, -1, -0.5, 3, 2, 1, -2, 0, -1 - 1e-12}, "columns")
}
