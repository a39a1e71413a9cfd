package par

import (
	"runtime"
	"sync/atomic"

	"rao"
)

// Chore is a loop that one goroutine runs next to other work until Finish, which helps it. Its chunks
// should be tens of microseconds long, as others may wait for the processor.
type Chore struct {
	n, grain int
	body     func(lo, hi int)
	next     atomic.Int64 // chunk to begin
	done     Gate         // chunks
	panics   Panics
}

// Begin starts the chunks [lo,hi) of size grain that cover [0,n). With a single processor, or when all
// helpers are busy, only Finish does the work. body may run on several goroutines at once.
func Begin(n, grain int, body func(lo, hi int)) *Chore {
	c := &Chore{n: n, grain: grain, body: body}
	if procs := rao.Parallelism(); procs > 1 && hire(procs) {
		go func() {
			defer helpers.Add(-1)
			for c.work() {
				runtime.Gosched()
			}
		}()
	}
	return c
}

// Finish returns when all chunks are done, by this goroutine and others. A panic in a body is
// raised again.
func (c *Chore) Finish() {
	chunks := Chunks(c.n, c.grain)
	For(chunks, 1, func(_, _, _ int) { c.work() })
	c.done.Wait(chunks)
	c.panics.Raise()
}

// Drop begins no more chunks, and returns when those at work are done.
func (c *Chore) Drop() {
	chunks := Chunks(c.n, c.grain)
	begun := int(c.next.Swap(int64(chunks)))
	c.done.Wait(min(begun, chunks))
}

// work does a chunk, and reports whether there was one.
func (c *Chore) work() bool {
	lo := (int(c.next.Add(1)) - 1) * c.grain
	if lo >= c.n {
		return false
	}
	defer c.done.Done()
	defer c.panics.Catch()
	c.body(lo, min(lo+c.grain, c.n))
	return true
}
