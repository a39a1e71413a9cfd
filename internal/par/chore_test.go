package par

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"rao/internal/testkit"
)

// A chore is done exactly once, during loops or at its end.
func TestChoreIsDoneOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		for range 100 {
			var done atomic.Int64
			first, second := Begin(func() { done.Add(1) }), Begin(func() { done.Add(1) })
			For(8, 1, func(_, _, _ int) {})
			second.Finish()
			first.Finish()
			first.Finish()
			if done.Load() != 2 {
				t.Fatalf("two chores are done %d times", done.Load())
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
	done := make(chan struct{})
	c := Begin(func() { close(done) })
	defer c.Finish()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the chore is not done")
	}
}

func TestChoreRaisesPanicAtItsEnd(t *testing.T) {
	c := Begin(func() { panic("boom") })
	testkit.Equal(t, testkit.Panic(c.Finish), any("boom"))
}

// awaitHelpers waits until the helpers of earlier loops have ended, as a loop that finds none free gets none.
func awaitHelpers() {
	for end := time.Now().Add(10 * time.Second); helpers.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}
