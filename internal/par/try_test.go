package par_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"rao"
	"rao/internal/par"
	"rao/internal/testkit"
)

// Try works on all chunks and returns the error of the first that failed, on any number of goroutines.
func TestTryReturnsTheFirstError(t *testing.T) {
	first, later := errors.New("first"), errors.New("later")
	for _, procs := range []int{1, 4} {
		before := rao.SetParallelism(procs)
		var done atomic.Int64
		err := par.Try(100, 8, func(_, lo, hi int) error {
			done.Add(int64(hi - lo))
			switch {
			case lo == 40:
				return first
			case lo > 40:
				return later
			}
			return nil
		})
		rao.SetParallelism(before)
		if err != first || done.Load() != 100 {
			t.Errorf("%v after %d, want the first error after all", err, done.Load())
		}
	}
	testkit.NoError(t, par.Try(0, 1, func(_, _, _ int) error { return later }))
}
