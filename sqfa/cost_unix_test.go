//go:build unix

package sqfa_test

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"rao/gaussian"
	"rao/sqfa"
)

// processorTime returns what the process has used so far.
func processorTime(b testing.TB) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// A fit with an automatic noise takes at most four times the processor time of a fit with that noise given.
func TestProcessorTimeOfAutomaticNoise(t *testing.T) {
	if os.Getenv("RAO_SLOW") == "" {
		t.Skip("set RAO_SLOW=1 to run it: a minute")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // leaves out what goroutines wait for each other
	compare := func(name string, src sqfa.Source, opt sqfa.Options) {
		var times [2]time.Duration
		automatic := opt
		automatic.AutoNoise = true
		for range 5 {
			begin := processorTime(t)
			m, err := sqfa.Fit(context.Background(), src, automatic)
			if m == nil {
				t.Fatal(err)
			}
			middle := processorTime(t)
			opt.Noise = m.Noise
			sqfa.Fit(context.Background(), src, opt)
			times[0], times[1] = times[0]+middle-begin, times[1]+processorTime(t)-middle
		}
		ratio := float64(times[0]) / float64(times[1])
		t.Logf("%s, %d filters, %v: %.1f times as long, %v instead of %v", name, opt.Filters, opt.Aggregate, ratio,
			times[0]/5, times[1]/5)
		if ratio > 4 {
			t.Errorf("%s: more than four times as long", name)
		}
	}
	eachNoiseSet(t, func(name string, filters int, rows sqfa.Rows, stats *gaussian.Statistics) {
		compare(name+" from rows", rows, sqfa.Options{Filters: filters})
		compare(name+" from statistics", stats, sqfa.Options{Filters: filters})
	})
	stats, _, _ := mnist(t)
	for _, kind := range []sqfa.Aggregation{sqfa.Mean, sqfa.Bayes} {
		for _, filters := range []int{4, 9, 16} {
			compare("MNIST from statistics", stats, sqfa.Options{Filters: filters, Aggregate: kind})
		}
	}
}

// BenchmarkAutomaticNoise reports how much processor time a fit that chooses the noise takes, as a multiple of that of
// a fit with this noise given. GOMAXPROCS=1 leaves out what goroutines wait for each other.
func BenchmarkAutomaticNoise(b *testing.B) {
	eachNoiseSet(b, func(name string, filters int, rows sqfa.Rows, stats *gaussian.Statistics) {
		for _, c := range []struct {
			kind string
			src  sqfa.Source
		}{{"rows", rows}, {"statistics", stats}} {
			b.Run(name+"/"+c.kind, func(b *testing.B) {
				opt := sqfa.Options{Filters: filters, AutoNoise: true}
				m, _ := sqfa.Fit(context.Background(), c.src, opt)
				var auto, given time.Duration
				for b.Loop() {
					begin := processorTime(b)
					sqfa.Fit(context.Background(), c.src, opt)
					middle := processorTime(b)
					sqfa.Fit(context.Background(), c.src, sqfa.Options{Filters: filters, Noise: m.Noise})
					auto, given = auto+middle-begin, given+processorTime(b)-middle
				}
				b.ReportMetric(float64(auto)/float64(given), "ratio")
				b.ReportMetric(float64(given.Microseconds())/1e3/float64(b.N), "ms-given")
			})
		}
	})
}
