//go:build unix

package sqfa_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"rao/gaussian"
	"rao/sqfa"
)

// processorTime returns what the process has used so far.
func processorTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
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
