// Package testkit contains helpers for tests of several packages, for example access to data outside the project, and
// comparisons that report the size of a difference.
package testkit

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// External returns the path of a file in the folder $RAO_EXTERNAL. It skips the test with a message if the variable is
// not set or the file does not exist.
func External(t testing.TB, elem ...string) string {
	t.Helper()
	base := os.Getenv("RAO_EXTERNAL")
	if base == "" {
		t.Skip("needs external data; set RAO_EXTERNAL to the folder that holds them")
	}
	path := filepath.Join(append([]string{base}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("external data %s is absent from RAO_EXTERNAL", filepath.Join(elem...))
	}
	return path
}

// Close fails the test unless every got[i] is within tol of want[i], relative to the largest magnitude in want (or
// absolutely, if that is below 1e-300).
func Close(t testing.TB, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	scale := 0.0
	for _, w := range want {
		scale = math.Max(scale, math.Abs(w))
	}
	if scale < 1e-300 {
		scale = 1
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol*scale) {
			t.Fatalf("%s: value %d is %.17g, want %.17g (off by %.3g of %.3g, tolerance %.3g)",
				what, i, got[i], want[i], math.Abs(got[i]-want[i]), scale, tol)
		}
	}
}
