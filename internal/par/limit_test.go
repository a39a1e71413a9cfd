package par

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rao"
	"rao/internal/testkit"
)

// Many simultaneous callers start only a few more goroutines than their own.
func TestManyCallersShareHelpers(t *testing.T) {
	old := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(old)
	const callers = 64
	before := runtime.NumGoroutine()
	var most atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 5 {
				For(50, 1, func(_, _, _ int) {
					For(4, 1, func(_, _, _ int) { runtime.Gosched() })
					for n := int64(runtime.NumGoroutine()); ; {
						if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
							break
						}
					}
				})
			}
		}()
	}
	wg.Wait()
	if limit := int64(before + callers + 2*helpersPerProcessor); most.Load() > limit {
		t.Errorf("%d goroutines for %d callers on 2 processors, want at most %d", most.Load(), callers, limit)
	}
	for deadline := time.Now().Add(10 * time.Second); helpers.Load() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d helpers did not end", helpers.Load())
		}
	}
}

// With a limit of 1 every loop runs on the goroutine of its caller, and a chore waits for Finish.
func TestParallelismOfOne(t *testing.T) {
	old := runtime.GOMAXPROCS(8)
	defer runtime.GOMAXPROCS(old)
	defer rao.SetParallelism(rao.SetParallelism(1))
	var running atomic.Int64
	For(100, 1, func(worker, _, _ int) {
		if worker != 0 || running.Add(1) > 1 {
			t.Errorf("worker %d works", worker)
		}
		runtime.Gosched()
		running.Add(-1)
	})
	var begun atomic.Bool
	c := Begin(func() { begun.Store(true) })
	time.Sleep(5 * time.Millisecond)
	if begun.Load() {
		t.Error("a chore began before Finish")
	}
	if c.Finish(); !begun.Load() {
		t.Error("Finish did no work")
	}
}

// A call with a limit uses at most this number of goroutines, including its nested loops and read-ahead, while other
// calls use more.
func TestParallelismOfACall(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for _, limit := range []int{1, 2, 3} {
		var running, most atomic.Int64
		work := func() {
			for now := running.Add(1); ; {
				if m := most.Load(); now <= m || most.CompareAndSwap(m, now) {
					break
				}
			}
			time.Sleep(100 * time.Microsecond)
			running.Add(-1)
		}
		before := runtime.NumGoroutine()
		rao.WithParallelism(limit, func() {
			c := Begin(work)
			For(20, 1, func(_, _, _ int) { For(4, 1, func(_, _, _ int) { work() }) })
			c.Finish()
			if limit > 1 {
				return
			}
			n := 0
			fill := func(int) error {
				if n++; n == 3 {
					return io.EOF
				}
				return nil
			}
			if err := Ahead([2]int{}, fill, func(int) error { work(); return nil }); err != nil || n != 3 {
				t.Errorf("%v, %d blocks", err, n)
			}
			if now := runtime.NumGoroutine(); now > before {
				t.Errorf("%d goroutines, %d before", now, before)
			}
		})
		if got := int(most.Load()); got > limit || limit > 1 && got < 2 {
			t.Errorf("%d goroutines at work, limit %d", got, limit)
		}
		testkit.Equal(t, rao.Parallelism(), 8, "the limit outlives its call")
	}
}

// Loops that run while the limit changes use at most the number of workers that their callers prepared for.
func TestLimitChangesDuringLoops(t *testing.T) {
	old := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(old)
	defer rao.SetParallelism(rao.SetParallelism(0))
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !stop.Load(); i++ {
			rao.SetParallelism(i % 5)
			runtime.Gosched()
		}
	}()
	for range 500 {
		scratch := make([]int, Workers(16, 1))
		For(16, 1, func(worker, _, _ int) { scratch[worker]++ })
		n := 0
		for _, k := range scratch {
			n += k
		}
		testkit.Equal(t, n, 16, "of 16 chunks")
	}
	stop.Store(true)
	<-done
}
