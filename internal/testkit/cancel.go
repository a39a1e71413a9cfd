package testkit

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"rao/internal/resources"
)

// Soon bounds the time that work may take to hear its end, see [Canceling.Late]. It takes a
// hundredth of that where nothing is wrong, and minutes where something is.
const Soon = 10 * time.Second

// Busy is the time that the processors have worked for this process, a share for each that it
// may use. It does not grow while other programs have them, so that a test may hold it
// against a bound. It stays zero on a system that does not tell it.
func Busy() time.Duration {
	return time.Duration(resources.Processor() / float64(runtime.GOMAXPROCS(0)) * float64(time.Second))
}

// Canceling is a context that is canceled when it is asked for the n-th time whether
// it is: in the midst of the work that listens to it, however fast the machine is.
type Canceling struct {
	context.Context
	left atomic.Int64
	stop context.CancelFunc
	told atomic.Pointer[time.Duration] // Busy when it was canceled
}

// CancelAt returns a context that is canceled at its n-th question, n >= 1.
func CancelAt(n int64) *Canceling {
	ctx, stop := context.WithCancel(context.Background())
	c := &Canceling{Context: ctx, stop: stop}
	c.left.Store(n)
	return c
}

// Err counts the calls.
func (c *Canceling) Err() error {
	if c.left.Add(-1) == 0 {
		at := Busy()
		c.told.Store(&at)
		c.stop()
	}
	return c.Context.Err()
}

// Canceled reports whether the context was canceled. If not, the work ended before its n-th
// question.
func (c *Canceling) Canceled() bool { return c.told.Load() != nil }

// Late returns what was worked since the context was canceled, by [Busy]; zero when it
// was not.
func (c *Canceling) Late() time.Duration {
	at := c.told.Load()
	if at == nil {
		return 0
	}
	return Busy() - *at
}
