package testkit

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"rao/internal/usage"
)

// Soon limits the processor time from cancellation to the end of the work; see [Canceling.Late]. Correct code needs a
// hundredth of this time; faulty code needs minutes.
const Soon = 10 * time.Second

// Busy returns the processor time of this process, divided by the number of processors that it may use. The time does
// not grow while other programs use the processors, so a test can compare it with a limit. On systems that do not
// report processor time, Busy returns zero.
func Busy() time.Duration {
	return time.Duration(usage.Processor() / float64(runtime.GOMAXPROCS(0)) * float64(time.Second))
}

// Canceled returns a context that has been canceled.
func Canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// Canceling is a context that is canceled in the n-th call of Err. The cancellation is therefore in the middle of the
// work on a machine of any speed.
type Canceling struct {
	context.Context
	left       atomic.Int64
	stop       context.CancelFunc
	canceledAt atomic.Pointer[time.Duration] // Busy when it was canceled
}

// CancelAt returns a context that is canceled in the n-th call of Err, n >= 1.
func CancelAt(n int64) *Canceling {
	ctx, stop := context.WithCancel(context.Background())
	c := &Canceling{Context: ctx, stop: stop}
	c.left.Store(n)
	return c
}

// Err counts its calls and returns the context's error.
func (c *Canceling) Err() error {
	if c.left.Add(-1) == 0 {
		at := Busy()
		c.canceledAt.Store(&at)
		c.stop()
	}
	return c.Context.Err()
}

// Canceled reports whether the context was canceled. If it was not, the work ended before the n-th call of Err.
func (c *Canceling) Canceled() bool { return c.canceledAt.Load() != nil }

// Later returns the number of calls of Err after the one that canceled the context.
func (c *Canceling) Later() int64 { return max(0, -c.left.Load()) }

// Late returns the processor time since the context was canceled, measured by [Busy], or zero if it was not canceled.
func (c *Canceling) Late() time.Duration {
	at := c.canceledAt.Load()
	if at == nil {
		return 0
	}
	return Busy() - *at
}
