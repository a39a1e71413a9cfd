package goroutines

import (
	"runtime"
	"sync"
	"testing"

	"rao/internal/testkit"
)

// Each goroutine has its own call, and none after Do has returned or panicked.
func TestCallBelongsToItsGoroutine(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var wg sync.WaitGroup
	for n := 1; n <= 8; n++ {
		wg.Go(func() {
			for range 100 {
				New(n).Do(func() {
					runtime.Gosched()
					testkit.Equal(t, Current().Parallelism(), n, "goroutines, want")
					New(3).Do(func() {
						testkit.Equal(t, Current().Parallelism(), min(3, n), "goroutines in an inner call of", n)
					})
				})
			}
			testkit.Panics(t, func() { New(n).Do(func() { panic("ends the call") }) })
			if Current() != nil {
				t.Error("a call is left")
			}
		})
	}
	wg.Wait()
	testkit.Equal(t, active.Load(), 0, "calls are left")
}

// Nested calls share the limit of the outer call.
func TestHireStaysWithinOuterCalls(t *testing.T) {
	outer := New(3)
	outer.Do(func() {
		inner := New(8)
		for i := range 2 {
			if !inner.Hire() {
				t.Fatalf("helper %d of 2 refused", i)
			}
		}
		if inner.Hire() || outer.Hire() {
			t.Error("a fourth goroutine")
		}
		inner.Leave()
		if !outer.Hire() {
			t.Error("a place that was left stays taken")
		}
	})
}

func TestNoLimitOfItsOwn(t *testing.T) {
	defer SetProcess(SetProcess(0))
	New(0).Do(func() {
		testkit.Equal(t, Current().Parallelism(), runtime.GOMAXPROCS(0), "goroutines")
	})
}

func BenchmarkCurrent(b *testing.B) {
	New(1).Do(func() {
		for b.Loop() {
			Current()
		}
	})
}
