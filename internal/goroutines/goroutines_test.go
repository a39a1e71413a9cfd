package goroutines_test

import (
	"runtime"
	"sync"
	"testing"

	"rao/internal/goroutines"
	"rao/internal/testkit"
)

// Each goroutine has its own call, and none after Do has returned or panicked.
func TestCallBelongsToItsGoroutine(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var wg sync.WaitGroup
	for n := 1; n <= 8; n++ {
		wg.Go(func() {
			for range 100 {
				goroutines.New(n).Do(func() {
					runtime.Gosched()
					testkit.Equal(t, goroutines.Current().Parallelism(), n, "goroutines, want")
					goroutines.New(3).Do(func() {
						testkit.Equal(t, goroutines.Current().Parallelism(), min(3, n), "in an inner call of", n)
					})
				})
			}
			testkit.Panics(t, func() { goroutines.New(n).Do(func() { panic("ends the call") }) })
			if goroutines.Current() != nil {
				t.Error("a call is left")
			}
		})
	}
	wg.Wait()
	testkit.Equal(t, goroutines.Active.Load(), 0, "calls are left")
}

// Nested calls share the limit of the outer call.
func TestHireStaysWithinOuterCalls(t *testing.T) {
	outer := goroutines.New(3)
	outer.Do(func() {
		inner := goroutines.New(8)
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
	defer goroutines.SetProcess(goroutines.SetProcess(0))
	goroutines.New(0).Do(func() {
		testkit.Equal(t, goroutines.Current().Parallelism(), runtime.GOMAXPROCS(0), "goroutines")
	})
}

func BenchmarkCurrent(b *testing.B) {
	goroutines.New(1).Do(func() {
		for b.Loop() {
			goroutines.Current()
		}
	})
}
