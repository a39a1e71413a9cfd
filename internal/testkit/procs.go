package testkit

import (
	"math"
	"runtime"
	"testing"
)

// EqualBits is [EqualSlices] for the bits of numbers: NaN equals NaN, and -0 differs from 0.
func EqualBits(t testing.TB, got, want []float64, what ...any) {
	t.Helper()
	Equal(t, len(got), len(want), append(what, "number of values")...)
	for i := range min(len(got), len(want)) {
		if x, y := got[i], want[i]; math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
			t.Errorf("%svalue %d of %d is %v, want %v", prefix(what), i, len(got), x, y)
			return
		}
	}
}

// SameAtAnyProcs reports an error of the test unless f returns the same numbers, bit for bit, with one, two and eight
// processors. It returns these numbers.
func SameAtAnyProcs(t testing.TB, f func() []float64, what ...any) (want []float64) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		got := f()
		if len(got) == 0 {
			t.Fatalf("%sno numbers to compare", prefix(what))
		}
		if want == nil {
			want = got
		}
		EqualBits(t, got, want, append(what, "with", procs, "processors")...)
	}
	return want
}
