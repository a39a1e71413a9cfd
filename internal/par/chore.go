package par

import (
	"sync/atomic"

	"rao/internal/limit"
)

// Chore is work that one goroutine does next to other work until Finish, which does it if no goroutine has started it.
type Chore struct {
	body   func()
	begun  atomic.Bool
	done   chan struct{}
	panics Panics
}

// Begin starts a chore. With a single processor, or when all helpers are busy, only Finish does it.
func Begin(body func()) *Chore {
	c := &Chore{body: body, done: make(chan struct{})}
	if call := limit.Current(); call.Parallelism() > 1 && hire(call) {
		go func() {
			defer leave(call)
			call.Do(c.work)
		}()
	}
	return c
}

// Finish returns when the chore is done, by this goroutine or another. A panic in it is raised again.
func (c *Chore) Finish() {
	c.work()
	<-c.done
	c.panics.Raise()
}

// work does the work unless another goroutine has started it.
func (c *Chore) work() {
	if c.begun.Swap(true) {
		return
	}
	defer close(c.done)
	defer c.panics.Catch()
	c.body()
}
