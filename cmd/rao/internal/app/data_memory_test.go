package app

import (
	"os"
	"runtime/debug"
	"testing"

	"rao/internal/testkit"
)

// Large files are read with little garbage, which stays in the process next to the rows.
func TestLargeFilesAreReadWithLittleGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	path := testkit.TempFile(t, "large.csv", "a,b,class\n")
	for size, want := range map[int64]int{largeData - 1: 100, largeData: 10} {
		testkit.NoError(t, os.Truncate(path, size))
		before := debug.SetGCPercent(100)
		_, err := (&DataFlags{Spec: path}).Open(t.Context(), &App{Quiet: true}, "data", true)
		if got := debug.SetGCPercent(before); err == nil || got != want {
			t.Errorf("a file of %d bytes: the collector runs at %d %%, want %d; %v", size, got, want, err)
		}
	}
}
