package eeg

import (
	"math/bits"
	"time"
)

// latencies counts times in buckets 1.6 % wide, so that a decoder may run for ever in
// the same memory. The largest time is kept exactly.
type latencies struct {
	counts [58 * 64]int64
	n      int64
	max    time.Duration
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

func (l *latencies) add(d time.Duration) {
	l.counts[bucket(uint64(max(d, 0)))]++
	l.n++
	l.max = max(l.max, d)
}

// quantile returns a time that the share q of the times does not exceed, in
// milliseconds.
func (l *latencies) quantile(q float64) float64 {
	want := int64(q*float64(l.n)) + 1
	for i, c := range l.counts {
		if want -= c; want <= 0 {
			return float64(min(longest(i), uint64(l.max))) / 1e6
		}
	}
	return float64(l.max) / 1e6
}
