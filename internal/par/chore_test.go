package par

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// Every chunk of a chore runs once, beside loops and at its end.
func TestChoreCoversEveryIndexOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		for _, n := range []int{0, 1, 70, 1000} {
			seen := make([]int32, n)
			count := func(lo, hi int) {
				for i := lo; i < hi; i++ {
					atomic.AddInt32(&seen[i], 1)
				}
			}
			first := Begin(n/2, 3, count)
			second := Begin(n-n/2, 7, func(lo, hi int) { count(n/2+lo, n/2+hi) })
			for range 20 {
				For(8, 1, func(_, _, _ int) {})
			}
			second.Finish()
			first.Finish()
			for i, s := range seen {
				if s != 1 {
					t.Fatalf("n=%d: index %d visited %d times", n, i, s)
				}
			}
		}
		runtime.GOMAXPROCS(old)
	}
}

// A chore is done next to other work.
func TestChoreNeedsNoFinish(t *testing.T) {
	old := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(old)
	awaitHelpers()
	var done atomic.Int64
	c := Begin(100, 1, func(_, _ int) { done.Add(1) })
	defer c.Finish()
	for deadline := time.Now().Add(10 * time.Second); done.Load() < 100; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d chunks of 100 are done", done.Load())
		}
	}
}

// A chore that is dropped touches nothing afterwards.
func TestDroppedChore(t *testing.T) {
	for range 100 {
		var over atomic.Bool
		c := Begin(1000, 1, func(_, _ int) {
			if over.Load() {
				t.Error("a chunk ran after Drop")
			}
		})
		For(4, 1, func(_, _, _ int) {})
		c.Drop()
		over.Store(true)
		For(4, 1, func(_, _, _ int) {})
	}
}

func TestChoreRaisesPanicAtItsEnd(t *testing.T) {
	c := Begin(100, 1, func(lo, _ int) {
		if lo == 50 {
			panic("boom")
		}
	})
	defer func() {
		if recover() != "boom" {
			t.Error("panic did not reach the caller")
		}
	}()
	c.Finish()
}

// awaitHelpers waits until the helpers of earlier loops have ended, as a loop that finds none free gets none.
func awaitHelpers() {
	for end := time.Now().Add(10 * time.Second); helpers.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}
