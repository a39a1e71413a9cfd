// Package par runs loops on several goroutines. The results do not depend on the number of goroutines. Work is cut into
// chunks, with a size that depends only on the problem. Every chunk writes its own output, and reductions merge the
// chunks in order.
//
// The caller runs chunks as well. It does not wait for helpers that arrive after all chunks have started.
// [rao.SetParallelism] and [rao.WithParallelism] limit the goroutines of a loop. The total number of helpers is small,
// even if many goroutines call. A loop without a free helper runs on its caller. A [Chore] is work that runs at the
// same time as a loop.
package par

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"

	"rao/internal/goroutines"
)

// Chunks returns the number of chunks of size grain that cover n. It panics if grain < 1.
func Chunks(n, grain int) int {
	if grain < 1 {
		panic("par: grain < 1")
	}
	return (n + grain - 1) / grain
}

// helpers counts the helpers of all loops.
var helpers atomic.Int64

// helpersPerProcessor limits helpers. The limit is larger than the number of processors, because helpers of a finished
// loop may still be waiting to run.
const helpersPerProcessor = 4

// hire reports whether one more goroutine may help a call. If the result is true, the goroutine must call leave at its
// end.
func hire(call *goroutines.Call) bool {
	if !call.Hire() {
		return false
	}
	if helpers.Add(1) <= int64(helpersPerProcessor*goroutines.Process()) {
		return true
	}
	leave(call)
	return false
}

func leave(call *goroutines.Call) {
	helpers.Add(-1)
	call.Leave()
}

// Workers returns the largest number of goroutines that For can use. Use it to allocate scratch memory per worker. The
// result is at least 1. It does not depend on limits, because they may change during a call.
func Workers(n, grain int) int {
	return max(1, min(runtime.GOMAXPROCS(0), Chunks(n, grain)))
}

// For calls body(worker, lo, hi) for chunks [lo,hi) of size grain that cover [0,n). worker is in [0, Workers(n,
// grain)), and no two calls with the same worker overlap, so it can index scratch memory. The assignment of chunks to
// workers is not fixed, so body must write only the output of its chunk. Chunks start in order, so a chunk may wait at
// a [Gate] for earlier chunks. A panic in body is raised again on the calling goroutine.
func For(n, grain int, body func(worker, lo, hi int)) {
	chunks := Chunks(n, grain)
	if watchers.Load() > 0 {
		var m *meter
		body, m = watch(chunks, body)
		defer m.stop()
	}
	var call *goroutines.Call
	workers := min(goroutines.Process(), chunks)
	if workers > 1 {
		call = goroutines.Current()
		workers = min(workers, call.Parallelism())
	}
	if workers <= 1 {
		for lo := 0; lo < n; lo += grain {
			body(0, lo, min(lo+grain, n))
		}
		return
	}
	l := &loop{n: n, grain: grain, chunks: chunks, body: body, call: call, wake: make(chan struct{}, 1)}
	for w := 1; w < workers && hire(call); w++ {
		go l.help(w)
	}
	l.work(0)
	l.wait()
	l.panics.Raise()
}

// ForWith is [For] for a body that receives its variables in v instead of capturing them. With a single chunk, it
// allocates nothing, which matters for single predictions.
func ForWith[T any](n, grain int, v T, body func(v T, worker, lo, hi int)) {
	if Chunks(n, grain) == 1 {
		body(v, 0, 0, n)
		return
	}
	shared := v
	For(n, grain, func(worker, lo, hi int) { body(shared, worker, lo, hi) })
}

// Try is [For] with a body that may return an error. It runs all chunks, and returns the error of the first chunk that
// failed.
func Try(n, grain int, body func(worker, lo, hi int) error) error {
	chunks := Chunks(n, grain)
	if chunks == 1 { // without allocation, because a single prediction runs many of these
		return body(0, 0, n)
	}
	errs := make([]error, chunks)
	For(n, grain, func(worker, lo, hi int) { errs[lo/grain] = body(worker, lo, hi) })
	return cmp.Or(errs...)
}

// Gate counts finished pieces of work. The zero Gate is ready to use. It must not be copied.
type Gate struct {
	mu   sync.Mutex
	more sync.Cond
	done int
}

// Done counts one piece. Call it with defer: a piece that panics is then counted too, and no goroutine waits forever.
func (g *Gate) Done() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done++
	if g.more.L != nil {
		g.more.Broadcast()
	}
}

// Wait returns when n pieces are finished.
func (g *Gate) Wait(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.more.L = &g.mu
	for g.done < n {
		g.more.Wait()
	}
}
