package live

import (
	"math/bits"
	"time"
)

// Latencies counts durations in buckets that are 1.6 % wide, so its memory does not grow with the number of durations.
// The zero value is ready for use.
type Latencies struct {
	N   int64         // number of durations
	Max time.Duration // largest duration, exact

	counts [58 * 64]int64
}

// bucket returns the bucket of a duration of v nanoseconds: one bucket for each value below 128, then 64 for each
// doubling.
func bucket(v uint64) int {
	shift := max(0, bits.Len64(v)-7)
	return shift<<6 + int(v>>shift)
}

// longest returns the largest duration in a bucket, in nanoseconds.
func longest(bucket int) uint64 {
	shift := max(0, bucket>>6-1)
	return (uint64(bucket-shift<<6)+1)<<shift - 1
}

// Add counts a duration. A negative one counts as 0.
func (l *Latencies) Add(d time.Duration) {
	l.counts[bucket(uint64(max(d, 0)))]++
	l.N++
	l.Max = max(l.Max, d)
}

// Quantile returns the q-quantile of the durations in milliseconds.
func (l *Latencies) Quantile(q float64) float64 {
	want := int64(q*float64(l.N)) + 1
	for i, c := range l.counts {
		if want -= c; want <= 0 {
			return float64(min(longest(i), uint64(l.Max))) / 1e6
		}
	}
	return float64(l.Max) / 1e6
}
