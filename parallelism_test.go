package rao_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"rao"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
)

// A call that may use one goroutine starts none while the process may use more, and gives the same bits.
func TestCallWithItsOwnParallelism(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	ctx := context.Background()
	digits := testkit.Must(dataset.Open(ctx, "digits:train", dataset.OpenOptions{RequireLabels: true}))(t)
	m := testkit.Must(method.Lookup("sqfa"))(t)
	settings := method.Settings{{Name: "filters", Value: "4"}, {Name: "noise", Value: "3"}}
	var logp []float64
	work := func() {
		fitted := testkit.Must(m.Fit(ctx, method.InMemory{Data: digits}, settings, nil))(t)
		p := testkit.Must(fitted.Predict(ctx, model.Vectors(digits.X)))(t)
		logp = slices.Clone(p.LogPosterior.RawMatrix().Data)
	}
	started := func(f func()) int {
		before, most := runtime.NumGoroutine()+1, 0
		quit, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for {
				most = max(most, runtime.NumGoroutine())
				select {
				case <-quit:
					return
				case <-time.After(20 * time.Microsecond):
				}
			}
		}()
		f()
		close(quit)
		<-done
		return most - before
	}
	testkit.Equal(t, started(func() { rao.WithParallelism(1, work) }), 0, "a call limited to its own goroutine started")
	alone := logp
	if n := started(work); n < 1 {
		t.Error("a call without a limit started no goroutine: the test cannot fail")
	}
	testkit.EqualSlices(t, alone, logp, "other bits on several goroutines")
}
