package par

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rao/internal/testkit"
)

func TestForCoversEveryIndexOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		for _, n := range []int{0, 1, 7, 64, 1000} {
			for _, grain := range []int{1, 3, 64, 2000} {
				seen := make([]int32, n)
				workers := Workers(n, grain)
				For(n, grain, func(w, lo, hi int) {
					if w < 0 || w >= workers {
						t.Errorf("worker %d outside [0,%d)", w, workers)
					}
					for i := lo; i < hi; i++ {
						atomic.AddInt32(&seen[i], 1)
					}
				})
				for i, s := range seen {
					if s != 1 {
						t.Fatalf("n=%d grain=%d: index %d visited %d times", n, grain, i, s)
					}
				}
			}
		}
		runtime.GOMAXPROCS(old)
	}
}

func TestForRaisesPanicOnCaller(t *testing.T) {
	testkit.Equal(t, testkit.Panic(func() {
		For(100, 1, func(_, lo, _ int) {
			if lo == 50 {
				panic("boom")
			}
		})
	}), any("boom"))
}

// Four goroutines run nested loops at the same time. Every chunk runs once, and no chunk runs after its loop has
// returned.
func TestLoopsAtTheSameTime(t *testing.T) {
	old := runtime.GOMAXPROCS(8)
	defer runtime.GOMAXPROCS(old)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for round := range 300 {
				var sum atomic.Int64
				var over atomic.Bool
				For(5, 1, func(_, i, _ int) {
					For(round%7, 2, func(_, lo, hi int) {
						if over.Load() {
							t.Error("a chunk ran after its loop")
						}
						sum.Add(int64(hi - lo))
					})
				})
				over.Store(true)
				testkit.Equal(t, sum.Load(), int64(5*(round%7)), "round", round, "indices")
			}
		})
	}
	wg.Wait()
}

// The caller waits for the last helper.
func TestCallerSleepsUntilTheLastHelper(t *testing.T) {
	awaitHelpers()
	old := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(old)
	var gate Gate
	var done atomic.Int64
	For(2, 1, func(worker, _, _ int) {
		gate.Done()
		gate.Wait(2) // both are at work
		if worker == 1 {
			time.Sleep(4 * time.Millisecond)
		}
		done.Add(1)
	})
	testkit.Equal(t, done.Load(), 2, "of 2 chunks done")
}

// BenchmarkSmallLoops runs loops of two chunks of a few microseconds each, with the same amount of work between the
// loops.
func BenchmarkSmallLoops(b *testing.B) {
	work := func(n int) (s float64) {
		for i := range n {
			s += 1 / float64(i+1)
		}
		return s
	}
	var sink [2]float64
	for b.Loop() {
		For(2, 1, func(_, lo, _ int) { sink[lo] = work(2000) })
		sink[0] += work(2000)
	}
}

// Every chunk except the first waits for the previous one, in any goroutine. Chunks start in order, so there is no
// deadlock.
func TestGateOrdersChunks(t *testing.T) {
	old := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(old)
	const n = 200
	var order []int
	var gate Gate
	For(n, 1, func(_, i, _ int) {
		defer gate.Done()
		gate.Wait(i)
		order = append(order, i)
	})
	for i, v := range order {
		if i != v {
			t.Fatalf("piece %d came as number %d", v, i)
		}
	}
	testkit.Equal(t, len(order), n, "pieces done")
}

func TestGateOpensAfterAPanic(t *testing.T) {
	var gate Gate
	testkit.Equal(t, testkit.Panic(func() {
		For(20, 1, func(_, i, _ int) {
			defer gate.Done()
			gate.Wait(i)
			if i == 3 {
				panic("boom")
			}
		})
	}), any("boom"))
}
