package par

import (
	"context"
	"time"
)

// patience is how long Await waits for work to end after the context ended.
const patience = 100 * time.Millisecond

// Await returns the result of work. ended is false if work was abandoned, which is possible only with abandon: work
// that does not end soon after the context continues without effect, so a long loop does not delay other results.
func Await[T any](ctx context.Context, abandon bool, work func() T) (result T, ended bool) {
	if !abandon {
		return work(), true
	}
	done := make(chan T, 1)
	go func() { done <- work() }()
	select {
	case result = <-done:
		return result, true
	case <-ctx.Done():
	}
	select {
	case result = <-done:
		return result, true
	case <-time.After(patience):
		return result, false
	}
}
