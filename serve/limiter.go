package serve

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// gate limits how many requests compute at the same time and how many may wait.
type gate struct {
	slots   chan struct{}
	waiting *atomic.Int64
	queue   int64
	wait    time.Duration
}

func newGate(workers, queue int, wait time.Duration) gate {
	return gate{make(chan struct{}, workers), new(atomic.Int64), int64(queue), wait}
}

// enter waits for a turn. leave ends the turn. The error has status 503 if the queue is full or the wait is too long.
func (g gate) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-g.slots }
	select {
	case g.slots <- struct{}{}:
		return leave, nil
	default:
	}
	if g.waiting.Add(1) > g.queue {
		g.waiting.Add(-1)
		return nil, &httpError{http.StatusServiceUnavailable, "too many requests are waiting; try again in a second"}
	}
	defer g.waiting.Add(-1)
	late := time.NewTimer(g.wait)
	defer late.Stop()
	select {
	case g.slots <- struct{}{}:
		return leave, nil
	case <-late.C:
		return nil, &httpError{http.StatusServiceUnavailable, "the request waited too long for its turn; try again " +
			"in a second"}
	case <-ctx.Done():
		return nil, &httpError{499, "the client closed the connection"}
	}
}

// join waits for the turn of a stream. Streams are never rejected here, because their number is limited and each one
// waits with at most one block of samples.
func (g gate) join(ctx context.Context) (leave func(), err error) {
	select {
	case g.slots <- struct{}{}:
		return func() { <-g.slots }, nil
	case <-ctx.Done():
		return nil, &httpError{499, "the client closed the connection"}
	}
}
