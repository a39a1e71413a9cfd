package live

import (
	"math/bits"
	"time"
)

// Latencies counts times in buckets 1.6 % wide, so a decoder of any duration needs the same memory. The zero value
// is ready for use.
type Latencies struct {
	N   int64         // number of times
	Max time.Duration // the largest, exactly

	counts [58 * 64]int64
}

// bucket is the number of the bucket of a time of v nanoseconds: one each below 128,
// then 64 for each doubling.
func bucket(v uint64) int {
	shift := max(0, bits.Len64(v)-7)
	return shift<<6 + int(v>>shift)
}

// longest is the largest time in a bucket, in nanoseconds.
func longest(bucket int) uint64 {
	shift := max(0, bucket>>6-1)
	return (uint64(bucket-shift<<6)+1)<<shift - 1
}

// Add counts a time; one below 0 counts as 0.
func (l *Latencies) Add(d time.Duration) {
	l.counts[bucket(uint64(max(d, 0)))]++
	l.N++
	l.Max = max(l.Max, d)
}

// Quantile returns the q quantile of the times in milliseconds.
func (l *Latencies) Quantile(q float64) float64 {
	want := int64(q*float64(l.N)) + 1
	for i, c := range l.counts {
		if want -= c; want <= 0 {
			return float64(min(longest(i), uint64(l.Max))) / 1e6
		}
	}
	return float64(l.Max) / 1e6
}
