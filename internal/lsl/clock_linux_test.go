package lsl

import (
	"math"
	"testing"
)

// The clock is the monotonic clock of the machine, which liblsl's local_clock reads on Linux.
func TestClockCountsSinceTheStart(t *testing.T) {
	before, at, after := sinceBoot(), Clock(), sinceBoot()
	if math.Abs(at-before) > 0.5 || math.Abs(after-at) > 0.5 || at > 1e9 {
		t.Errorf("%g s between %g and %g", at, before, after)
	}
}
