package par

import (
	"sync"
	"sync/atomic"

	"rao/internal/goroutines"
)

// loop is one parallel loop. The goroutines that run it fetch chunks in turn.
type loop struct {
	n, grain, chunks int
	body             func(worker, lo, hi int)
	call             *goroutines.Call // the call that the caller, and so the helpers, work for

	next atomic.Int64  // next chunk to start
	crew atomic.Int64  // number of working helpers, plus closed if no more may start
	wake chan struct{} // from the last helper to the caller; buffered for one

	panics Panics
}

// Panics stores the first panic of bodies that run on several goroutines, for the goroutine that waits for the bodies.
type Panics struct {
	once  sync.Once
	first any
}

// Catch stores a panic. Call it with defer in each goroutine that runs a body.
func (p *Panics) Catch() {
	if v := recover(); v != nil {
		p.once.Do(func() { p.first = v })
	}
}

// Raise raises the stored panic, if a body panicked. Call it after all bodies have ended.
func (p *Panics) Raise() {
	if p.first != nil {
		panic(p.first)
	}
}

// closed in crew means that no helper may start.
const closed = 1 << 32

// work runs chunks until no chunk is left.
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

// help is work for the goroutine of a helper. It does nothing if the loop is closed.
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

// wait closes the loop after all chunks have started, and returns when the helpers have finished.
func (l *loop) wait() {
	if l.crew.Add(closed) > closed {
		<-l.wake
	}
}
