package method

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"rao"
	"rao/dataset"
	"rao/internal/memory"
	"rao/internal/testkit"
	"rao/spd"
)

// livePeak returns the largest memory in use during work, in bytes above the memory in use before. It is measured after
// garbage collections, because uncollected garbage depends on the load of the machine.
func livePeak(work func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	read := func() float64 {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(s)
		return float64(s[0].Value.Uint64())
	}
	runtime.GC()
	runtime.GC()
	before, peak := read(), 0.0
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-time.After(time.Millisecond):
				peak = max(peak, read())
			}
		}
	}()
	work()
	close(quit)
	<-done
	return max(peak, read()) - before
}

// For every method, a fit uses no more memory than estimated, and not much less. With RAO_SLOW, more data sets are
// fitted and the fits run longer.
func TestMemoryIsWhatTheEstimateSays(t *testing.T) {
	testkit.SkipShort(t, "fits of every method")
	sets, patience := []*dataset.Data{few(700, 600), manyMatrices(150, 40)}, 300*time.Millisecond
	if os.Getenv("RAO_SLOW") != "" {
		sets, patience = append(sets, few(3000, 300), manyMatrices(1500, 16), manyMatrices(400, 80)), 10*time.Second
	}
	for _, d := range sets {
		for _, m := range Methods() {
			if m.Matrices != (d.Stack != nil) {
				continue
			}
			set := m.only(quick())
			f := mustWith(t, m, set).Memory(InMemory{Data: d})
			var err error
			peak, whole := math.Inf(1), false
			for try := 0; try < 3 && peak > f.Bytes; try++ { // garbage of a slow collection counts too
				ctx, stop := context.WithTimeout(background, patience)
				peak = min(peak, livePeak(func() { _, err = m.Fit(ctx, InMemory{Data: d}, set, nil) }))
				whole = whole || ctx.Err() == nil
				stop()
			}
			if err != nil && m.Name != "qda-raw" && !rao.IsNotConverged(err) &&
				!errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", m.Name, err)
			}
			ratio := peak / f.Bytes
			t.Logf("%-12s %6.1f MiB, estimate %6.1f: %.2f", m.Name, peak/(1<<20), f.Bytes/(1<<20), ratio)
			small := f.Bytes < 2*memory.Workspaces
			if ratio > 1 || whole && !small && 3*peak < f.Bytes-memory.Workspaces {
				t.Errorf("%s: held %.1f MiB, the estimate is %.1f (%s)", m.Name, peak/(1<<20), f.Bytes/(1<<20), f.What)
			}
		}
	}
}

func mustWith(t *testing.T, m *Method, set Settings) Spec {
	t.Helper()
	s := testkit.Must(m.With(set))(t)
	return s
}

func manyMatrices(count, n int) *dataset.Data {
	d := &dataset.Data{Source: "many", Stack: spd.NewStack(count, n), Classes: []string{"a", "b", "c"}}
	v := few(count, 2*n*n)
	for k := range count {
		d.Labels = append(d.Labels, k%3)
		at, row := d.Stack.At(k), make([]float64, 2*n*n)
		for j := range row {
			row[j] = v.X.At(k, j) - 5
		}
		for i := range n {
			for j := range n {
				s := 0.0
				for h := range 2 * n {
					s += row[i*2*n+h] * row[j*2*n+h]
				}
				at[i*n+j] = s
			}
			at[i*n+i] += 1
		}
	}
	return d
}

// Sub-classes store a sample of the rows and separate statistics, and the estimate includes both.
func TestMemoryCountsTheSampleOfSubclasses(t *testing.T) {
	d := few(6000, 60)
	for _, name := range []string{"sqfa", "mixture-raw"} {
		m := testkit.Must(Lookup(name))(t)
		plain := mustWith(t, m, Settings{{Name: "noise", Value: "1"},
			{Name: "subclasses", Value: "1"}}).Memory(InMemory{Data: d}).Bytes
		with := mustWith(t, m, Settings{{Name: "noise", Value: "1"},
			{Name: "subclasses", Value: "9"}}).Memory(InMemory{Data: d}).Bytes
		if least := float64(8 * 6000 * 60); with-plain < least {
			t.Errorf("%s: %.0f bytes more with sub-classes, the sample alone takes %.0f", name, with-plain, least)
		}
	}
}
