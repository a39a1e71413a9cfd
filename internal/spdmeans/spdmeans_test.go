package spdmeans

import (
	"testing"

	"rao/internal/memory"
	"rao/internal/testkit"
)

// A median stores the logarithms of the matrices, and a mean stores nothing.
func TestMemory(t *testing.T) {
	t.Setenv("RAO_MEMORY", "100")
	testkit.NoError(t, memory.Check("mean", Options{}.Memory(4000, 60)))
	testkit.NoError(t, memory.Check("mean", Options{Kind: "median"}.Memory(8, 60)))
	testkit.ErrorContains(t, memory.Check("mean", Options{Kind: "median"}.Memory(4000, 60)),
		"the logarithms of 4000 matrices of order 60", "footprint")
}
