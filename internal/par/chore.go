package par

import (
	"runtime"
	"sync/atomic"
)

// Chore is a loop that helpers run while no other loop has work for them. Its chunks should take
// some tens of microseconds: so long an offer may wait.
type Chore struct {
	n, grain int
	body     func(lo, hi int)
	next     atomic.Int64 // chunk to begin
	done     Gate         // chunks
	panics   Panics
}

// chore is the one that helpers know of.
var chore atomic.Pointer[Chore]

// Begin offers the chunks [lo,hi) of size grain that cover [0,n) to helpers. One chore is offered
// at a time: of another only Finish does the work. body may run on several goroutines at once.
func Begin(n, grain int, body func(lo, hi int)) *Chore {
	c := &Chore{n: n, grain: grain, body: body}
	chore.CompareAndSwap(nil, c)
	return c
}

// Finish returns when all chunks are done, by this goroutine and helpers. A panic in a body is
// raised again.
func (c *Chore) Finish() {
	chunks := Chunks(c.n, c.grain)
	For(chunks, 1, func(_, _, _ int) { c.work() })
	chore.CompareAndSwap(c, nil)
	c.done.Wait(chunks)
	c.panics.Raise()
}

// Drop begins no more chunks, and returns when those at work are done.
func (c *Chore) Drop() {
	chore.CompareAndSwap(c, nil)
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

// doChore does a chunk of the chore that is offered, and reports whether there was one.
func doChore() bool {
	c := chore.Load()
	if c == nil {
		return false
	}
	if !c.work() {
		chore.CompareAndSwap(c, nil)
		return false
	}
	runtime.Gosched() // others may have waited for a processor
	return true
}
