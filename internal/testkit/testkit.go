// Package testkit contains helpers for tests of several packages, for example access to data outside the project, and
// comparisons that report the size of a difference.
package testkit

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Equal reports an error of the test unless got is want. The message starts with what.
func Equal[T comparable](t testing.TB, got, want T, what ...any) {
	if got != want {
		t.Helper()
		t.Errorf("%s%v, want %v", prefix(what), got, want)
	}
}

// EqualSlices is [Equal] for slices.
func EqualSlices[E comparable](t testing.TB, got, want []E, what ...any) {
	if slices.Equal(got, want) {
		return
	}
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%svalue %d of %d is %v, want value %d of %d to be %v", prefix(what), i, len(got), got[i], i,
				len(want), want[i])
			return
		}
	}
	t.Errorf("%s%d values, want %d", prefix(what), len(got), len(want))
}

// Near reports an error of the test unless got is within tol of want. The message starts with what.
func Near(t testing.TB, got, want, tol float64, what ...any) {
	if !(math.Abs(got-want) <= tol) {
		t.Helper()
		t.Errorf("%s%.17g, want %.17g (off by %.3g, tolerance %.3g)", prefix(what), got, want, math.Abs(got-want), tol)
	}
}

// Contains reports an error of the test unless text contains part. The message starts with what.
func Contains(t testing.TB, text, part string, what ...any) {
	if !strings.Contains(text, part) {
		t.Helper()
		if len(text) > 2000 {
			text = text[:1000] + "\n...\n" + text[len(text)-1000:]
		}
		t.Errorf("%sno %q in\n%s", prefix(what), part, text)
	}
}

// prefix returns the start of a message.
func prefix(what []any) string {
	if len(what) == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintln(what...)) + ": "
}
