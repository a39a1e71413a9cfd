package experiment

import (
	"cmp"
	"context"
	"sync"

	"rao/internal/par"
)

// each runs job(0..n-1) on all processors and returns the first error in the order of the jobs. A job must write only
// its own results, so the outcome does not depend on how many jobs run concurrently. After ctx is canceled, no more
// jobs start, and the error of ctx is returned.
func each(ctx context.Context, n int, job func(i int) error) error {
	err := par.Try(n, 1, func(_, i, _ int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return job(i)
	})
	return cmp.Or(ctx.Err(), err)
}

// collect is each for jobs that return a value.
func collect[T any](ctx context.Context, n int, job func(i int) (T, error)) ([]T, error) {
	found := make([]T, n)
	err := each(ctx, n, func(i int) (err error) {
		found[i], err = job(i)
		return err
	})
	return found, err
}

// eachOf is each with progress under the name of a stage.
func (r *Run) eachOf(ctx context.Context, stage string, n int, job func(i int) error) error {
	var mu sync.Mutex
	done := 0
	return each(ctx, n, func(i int) error {
		if err := job(i); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		r.progress(stage, done, n)
		return nil
	})
}

// canceledOr returns the error of ctx if there is one, and otherwise err. It is needed because a canceled fit returns
// an unfinished model, which an experiment must not use.
func canceledOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
