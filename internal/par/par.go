// Package par runs loops on several goroutines so that the result does not depend on
// how many there are. Work is cut into chunks of a size that only the problem decides.
// Every chunk writes its own output, and reductions merge the chunks in their order.
//
// The caller works too, and does not wait for helpers that arrive after all chunks have
// started. [rao.SetParallelism] and [rao.WithParallelism] limit the goroutines of a loop. The helpers
// of all loops together are few, however many goroutines call: a loop that finds none free runs on its
// caller. A [Chore] is work that is done next to loops.
package par

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"

	"rao/internal/limit"
)

// Chunks returns how many chunks of size grain cover n. It panics if grain < 1.
func Chunks(n, grain int) int {
	if grain < 1 {
		panic("par: grain < 1")
	}
	return (n + grain - 1) / grain
}

// helpers counts the goroutines that help loops, of all callers.
var helpers atomic.Int64

// helpersPerProcessor bounds helpers. Those of a loop that has ended may not have run yet, so there
// are a few more than processors.
const helpersPerProcessor = 4

// hire reports whether one more goroutine may help a call. It must end with leave.
func hire(call *limit.Call) bool {
	if !call.Hire() {
		return false
	}
	if helpers.Add(1) <= int64(helpersPerProcessor*limit.Process()) {
		return true
	}
	leave(call)
	return false
}

func leave(call *limit.Call) {
	helpers.Add(-1)
	call.Leave()
}

// Workers returns how many goroutines For will use at most: callers size their
// per-worker scratch with it. It is at least 1, and no limit, which
// may change during a call, lowers it.
func Workers(n, grain int) int {
	return max(1, min(runtime.GOMAXPROCS(0), Chunks(n, grain)))
}

// For calls body(worker, lo, hi) for the chunks [lo,hi) of size grain that cover
// [0,n). worker is in [0, Workers(n, grain)) and no two calls with the same worker
// overlap, so it indexes scratch memory. Which worker gets which chunk is not
// fixed: body must write only what its chunk owns. Chunks start in order,
// so one may wait at a [Gate] for earlier ones. A panic in body is raised
// again on the calling goroutine.
func For(n, grain int, body func(worker, lo, hi int)) {
	chunks := Chunks(n, grain)
	var call *limit.Call
	workers := min(limit.Process(), chunks)
	if workers > 1 {
		call = limit.Current()
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

// Try is [For] with a body that may fail. All chunks are worked on; the error is that of the first in their order
// that failed.
func Try(n, grain int, body func(worker, lo, hi int) error) error {
	chunks := Chunks(n, grain)
	if chunks == 1 { // without allocation: a single prediction takes many of these
		return body(0, 0, n)
	}
	errs := make([]error, chunks)
	For(n, grain, func(worker, lo, hi int) { errs[lo/grain] = body(worker, lo, hi) })
	return cmp.Or(errs...)
}

// Gate counts pieces of work that are done. The zero Gate is ready for use; it
// must not be copied.
type Gate struct {
	mu   sync.Mutex
	more sync.Cond
	done int
}

// Done counts one piece. Defer it, so that a piece that panics counts too and
// nobody waits forever.
func (g *Gate) Done() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done++
	if g.more.L != nil {
		g.more.Broadcast()
	}
}

// Wait returns when n pieces are done.
func (g *Gate) Wait(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.more.L = &g.mu
	for g.done < n {
		g.more.Wait()
	}
}
