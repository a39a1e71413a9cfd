package par

import (
	"sync/atomic"

	"rao/internal/goroutines"
)

// Chore is work that may run on another goroutine. Finish waits for the work, or runs it if no goroutine has started
// it.
type Chore struct {
	body   func()
	begun  atomic.Bool
	done   chan struct{}
	panics Panics
}

// Begin starts a chore. With a single processor, or if all helpers are busy, Finish does the work.
func Begin(body func()) *Chore {
	c := &Chore{body: body, done: make(chan struct{})}
	if call := goroutines.Current(); call.Parallelism() > 1 && hire(call) {
		go func() {
			defer leave(call)
			call.Do(c.work)
		}()
	}
	return c
}

// Finish returns when the chore is complete. If the chore panicked, Finish panics with the same value.
func (c *Chore) Finish() {
	c.work()
	<-c.done
	c.panics.Raise()
}

// work runs the chore unless another goroutine has started it.
func (c *Chore) work() {
	if c.begun.Swap(true) {
		return
	}
	defer close(c.done)
	defer c.panics.Catch()
	c.body()
}
