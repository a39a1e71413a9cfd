package classify

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/indices"
	"rao/spd"
)

// meanOf returns the mean of the matrices of x with the given indices. weights has one weight for each matrix of x, or
// is nil. An error names the matrix by its index in x.
func meanOf(ctx context.Context, x *spd.Stack, members []int, weights []float64, metric spd.Metric,
	opt spd.MeanOptions) (*mat.SymDense, rao.Report, error) {
	mean, rep, err := spd.Mean(ctx, x.Select(members), indices.Pick(weights, members), metric, opt)
	return mean, rep, indices.InError(err, func(e *spd.MatrixError) {
		if e.Index >= 0 {
			e.Index = members[e.Index]
		}
	})
}

// together returns a function that returns the callback of each of n runs, which may run in parallel. p receives the
// units of all runs together; a run that has not started needs as many as the others on average.
func together(p rao.Progress, n int) func(run int) rao.Progress {
	if p == nil {
		return func(int) rao.Progress { return nil }
	}
	var mu sync.Mutex
	last := make([]rao.Event, n)
	return func(run int) rao.Progress {
		return func(e rao.Event) {
			mu.Lock()
			defer mu.Unlock()
			last[run] = e
			sum, known := rao.Event{Stage: e.Stage}, 0
			for _, l := range last {
				sum.Done += l.Done
				sum.Total += l.Total
				if l.Total > 0 {
					known++
				}
			}
			if known > 0 {
				sum.Total = max(sum.Done, sum.Total*n/known)
			}
			p(sum)
		}
	}
}
