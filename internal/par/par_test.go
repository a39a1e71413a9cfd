package par

import (
	"runtime"
	"sync/atomic"
	"testing"
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
	defer func() {
		if recover() != "boom" {
			t.Error("panic did not reach the caller")
		}
	}()
	For(100, 1, func(_, lo, _ int) {
		if lo == 50 {
			panic("boom")
		}
	})
}

// Every chunk but the first waits for the one before it, whichever goroutine has
// that: chunks begin in their order, so nobody waits for ever.
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
	if len(order) != n {
		t.Errorf("%d of %d pieces done", len(order), n)
	}
}

func TestGateOpensAfterAPanic(t *testing.T) {
	var gate Gate
	defer func() {
		if recover() != "boom" {
			t.Error("panic did not reach the caller")
		}
	}()
	For(20, 1, func(_, i, _ int) {
		defer gate.Done()
		gate.Wait(i)
		if i == 3 {
			panic("boom")
		}
	})
}
