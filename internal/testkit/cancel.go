package testkit

import (
	"context"
	"sync/atomic"
	"time"
)

// Cancelling is a context that is cancelled when it is asked for the n-th time whether
// it is: in the midst of the work that listens to it, however fast the machine is.
type Cancelling struct {
	context.Context
	left atomic.Int64
	stop context.CancelFunc
	told time.Time
}

// CancelAt returns a context that is cancelled at its n-th question, n >= 1.
func CancelAt(n int64) *Cancelling {
	ctx, stop := context.WithCancel(context.Background())
	c := &Cancelling{Context: ctx, stop: stop}
	c.left.Store(n)
	return c
}

// Err counts the questions.
func (c *Cancelling) Err() error {
	if c.left.Add(-1) == 0 {
		c.told = time.Now()
		c.stop()
	}
	return c.Context.Err()
}

// Late returns the time since the context was cancelled. It is zero when it was not:
// the work ended first, or did not listen.
func (c *Cancelling) Late() time.Duration {
	if c.told.IsZero() {
		return 0
	}
	return time.Since(c.told)
}
