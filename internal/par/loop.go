package par

import (
	"sync"
	"sync/atomic"

	"rao/internal/limit"
)

// loop is one parallel loop: the goroutines that run it take chunks in turn.
type loop struct {
	n, grain, chunks int
	body             func(worker, lo, hi int)
	call             *limit.Call // that the caller works for, and so the helpers

	next atomic.Int64  // chunk to begin
	crew atomic.Int64  // helpers at work, and closed once no more may begin
	wake chan struct{} // from the last helper to the caller, with room for one

	panics Panics
}

// Panics keeps the first panic of bodies on several goroutines, for the goroutine that waits
// for them.
type Panics struct {
	once  sync.Once
	first any
}

// Catch is deferred where a body runs.
func (p *Panics) Catch() {
	if v := recover(); v != nil {
		p.once.Do(func() { p.first = v })
	}
}

// Raise raises the panic that was caught, if there was one. Call it when all bodies have ended.
func (p *Panics) Raise() {
	if p.first != nil {
		panic(p.first)
	}
}

// closed in a crew says that helpers who have not begun come too late.
const closed = 1 << 32

// work takes chunks until none is left.
func (l *loop) work(worker int) {
	defer l.panics.Catch()
	for {
		c := int(l.next.Add(1)) - 1
		if c >= l.chunks {
			return
		}
		lo := c * l.grain
		l.body(worker, lo, min(lo+l.grain, l.n))
	}
}

// help is work on another goroutine than the caller's, if it is not too late.
func (l *loop) help(worker int) {
	defer leave(l.call)
	for {
		crew := l.crew.Load()
		if crew >= closed {
			return
		}
		if l.crew.CompareAndSwap(crew, crew+1) {
			break
		}
	}
	l.call.Do(func() { l.work(worker) })
	if l.crew.Add(-1) == closed {
		l.wake <- struct{}{}
	}
}

// wait closes the loop, whose chunks are all begun, and returns when the helpers at
// work have finished.
func (l *loop) wait() {
	if l.crew.Add(closed) > closed {
		<-l.wake
	}
}
