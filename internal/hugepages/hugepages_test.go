package hugepages_test

import (
	"runtime"
	"testing"

	"rao/internal/hugepages"
	"rao/internal/testkit"
)

// Slices do not overlap, before and after a garbage collection.
func TestSlicesAreTheirOwn(t *testing.T) {
	for _, n := range []int{0, 1000, 1<<19 + 1, 1 << 20} {
		a, b := hugepages.Make[float64](n), hugepages.Make[float64](n)
		if len(a) != n || len(b) != n || cap(a) != n {
			t.Fatalf("%d and %d values of %d", len(a), len(b), n)
		}
		for i := range n {
			a[i], b[i] = 1, 2
		}
		runtime.GC()
		for i := range n {
			if a[i] != 1 || b[i] != 2 {
				t.Fatalf("value %d is %v and %v", i, a[i], b[i])
			}
		}
	}
	if s := hugepages.Make[byte](5<<20 + 1); len(s) != 5<<20+1 || cap(s) != len(s) {
		t.Error("bytes")
	}
}

// The slices behave like slices from make, for any size and position.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 1 << 19, 1<<19 + 1, 3<<19 - 1, 1 << 20} {
		s := hugepages.Make[float64](n)
		if len(s) != n || cap(s) < n {
			t.Fatalf("%d values of %d", len(s), n)
		}
		for i, v := range s {
			testkit.Equal(t, v, 0, "value", i, "of", n)
			s[i] = float64(i)
		}
	}
	if s := hugepages.Make[float32](1 << 21); len(s) != 1<<21 || s[1<<20] != 0 {
		t.Error("float32")
	}
	if s := hugepages.Make[byte](3<<20 + 1); len(s) != 3<<20+1 || cap(s) != len(s) || s[3<<20] != 0 {
		t.Error("bytes")
	}
}
