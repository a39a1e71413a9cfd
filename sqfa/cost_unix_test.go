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
	"rao/internal/testkit"
	"rao/sqfa"
)

// processorTime returns what the process has used so far.
func processorTime(b testing.TB) time.Duration {
	var r syscall.Rusage
	testkit.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// From the statistics of MNIST, a fit with an automatic noise takes at most four times the processor time of a fit with
// that noise given. With all dimensions of the search in one subspace, 16 filters took 5.2 to 5.8 times as long.
func TestProcessorTimeOfAutomaticNoise(t *testing.T) {
	if os.Getenv("RAO_SLOW") == "" {
		t.Skip("set RAO_SLOW=1 to run it: a minute")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // leaves out what goroutines wait for each other
	stats, _, _ := mnist(t)
	for _, kind := range []sqfa.Aggregation{sqfa.AggregationMean, sqfa.AggregationBayes} {
		for _, filters := range []int{4, 9, 16} {
			auto, given := time.Hour, time.Hour // the shortest of five fits, which depends least on other programs
			for range 5 {
				begin := processorTime(t)
				m := fit(t, stats, sqfa.Options{Filters: filters, Aggregate: kind, AutoNoise: true})
				middle := processorTime(t)
				fit(t, stats, sqfa.Options{Filters: filters, Aggregate: kind, Noise: m.Noise})
				auto, given = min(auto, middle-begin), min(given, processorTime(t)-middle)
			}
			ratio := float64(auto) / float64(given)
			t.Logf("%d filters, %v: %.1f times as long", filters, kind, ratio)
			if ratio > 4 {
				t.Error("more than four times as long")
			}
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
