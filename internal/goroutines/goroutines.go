// Package goroutines limits the number of goroutines, for the process and for single calls.
package goroutines

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// processors is the limit of the process; 0 means no limit.
var processors atomic.Int64

// SetProcess sets the limit of the process and returns the previous limit. 0 means no limit.
func SetProcess(n int) (before int) { return int(processors.Swap(int64(max(0, n)))) }

// Process returns the number of goroutines that may run for a caller without a separate limit.
func Process() int {
	most := runtime.GOMAXPROCS(0)
	if n := int(processors.Load()); n > 0 {
		most = min(most, n)
	}
	return most
}

// A Call is work with a separate limit. A nil Call has only the limit of the process.
type Call struct {
	most    int
	helping atomic.Int64 // goroutines running for the call, without its caller
	outer   *Call
}

// calls maps each goroutine to the call that it works for, if the call has a limit. The map is read only while a call
// with a limit exists.
var (
	calls  = map[uintptr]*Call{}
	lock   sync.RWMutex
	active atomic.Int64
)

// Current returns the call that this goroutine works for, or nil if that call has no limit.
func Current() *Call {
	if active.Load() == 0 {
		return nil
	}
	lock.RLock()
	defer lock.RUnlock()
	return calls[goroutine()]
}

// New returns a call within the current call, limited to n goroutines. If n < 1, it adds no limit.
func New(n int) *Call {
	outer := Current()
	if n < 1 {
		return outer
	}
	return &Call{most: n, outer: outer}
}

// Do runs f on this goroutine, which works for c until f returns.
func (c *Call) Do(f func()) {
	if c == nil {
		f()
		return
	}
	id := goroutine()
	before := assign(id, c)
	defer assign(id, before)
	f()
}

func assign(id uintptr, c *Call) (before *Call) {
	lock.Lock()
	defer lock.Unlock()
	before = calls[id]
	if c == nil {
		delete(calls, id)
	} else {
		calls[id] = c
	}
	active.Store(int64(len(calls)))
	return before
}

// Parallelism returns the number of goroutines that may work for c.
func (c *Call) Parallelism() int {
	most := Process()
	for ; c != nil; c = c.outer {
		most = min(most, c.most)
	}
	return most
}

// Hire reports whether one more goroutine may work for c. If the result is true, the goroutine must call Leave at its
// end.
func (c *Call) Hire() bool {
	for at := c; at != nil; at = at.outer {
		if at.helping.Add(1) >= int64(at.most) {
			for ; ; c = c.outer {
				if c.helping.Add(-1); c == at {
					return false
				}
			}
		}
	}
	return true
}

// Leave undoes a successful Hire.
func (c *Call) Leave() {
	for ; c != nil; c = c.outer {
		c.helping.Add(-1)
	}
}
