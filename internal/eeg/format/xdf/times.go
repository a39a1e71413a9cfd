package xdf

import (
	"cmp"
	"math"
	"slices"

	"rao/internal/linalg/vec"
)

// These are the thresholds for a break in a regular stream, for a reset of a clock, and for outliers among clock
// offsets. The values are from pyxdf.
const (
	breakSeconds, breakSamples = 1.0, 500
	resetTime, resetTimeMAD    = 5.0, 5.0
	resetValue, resetValueMAD  = 1.0, 10.0
	outlier                    = 1e-4 // seconds
)

// synchronize converts the times of a stream to the clock of the recorder.
func (s *stream) synchronize() {
	if len(s.clock) == 0 || len(s.times) == 0 {
		return
	}
	spans := resets(s.clock)
	from := 0
	for i, span := range spans {
		to := len(s.times)
		if i+1 < len(spans) { // samples that are nearer to the end of this span than to the start of the next
			end, next := s.clock[span[1]][0], s.clock[spans[i+1][0]][0]
			to = from
			for to < len(s.times) && math.Abs(s.times[to]-end) < math.Abs(s.times[to]-next) {
				to++
			}
		}
		shift, slope := robustLine(s.clock[span[0] : span[1]+1])
		for k := from; k < to; k++ {
			s.times[k] += shift + slope*s.times[k]
		}
		from = to
	}
}

// resets returns the first and last clock offset of each span between resets.
func resets(clock [][2]float64) [][2]int {
	n := len(clock)
	dt, dv := make([]float64, n-1), make([]float64, n-1)
	for i := range n - 1 {
		dt[i], dv[i] = clock[i+1][0]-clock[i][0], clock[i+1][1]-clock[i][1]
	}
	late, jump := glitches(dt, resetTimeMAD, resetTime), glitches(dv, resetValueMAD, resetValue)
	spans := [][2]int{{0, n - 1}}
	for i := range n - 1 {
		if dt[i] < 0 || late[i] && jump[i] {
			spans[len(spans)-1][1] = i
			spans = append(spans, [2]int{i + 1, n - 1})
		}
	}
	return spans
}

// glitches marks the values that are far from the median, both in seconds and in median absolute deviations.
func glitches(v []float64, deviations, seconds float64) []bool {
	if len(v) == 0 {
		return nil
	}
	_, distance := vec.Deviations(v)
	mad := vec.Median(distance) + 0x1p-52
	out := make([]bool, len(v))
	for i, a := range distance {
		out[i] = a/mad > deviations && a > seconds
	}
	return out
}

// robustLine fits a line to points with Huber's loss, which is quadratic up to outlier. It returns the value at time
// 0 and the slope. It uses iteratively reweighted least squares, in which no step increases the loss.
func robustLine(points [][2]float64) (shift, slope float64) {
	if len(points) == 1 {
		return points[0][1], 0
	}
	origin := slices.MinFunc(points, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })[0]
	weights := slices.Repeat([]float64{1}, len(points))
	for range 1000 {
		a, b := weightedLine(points, weights, origin)
		moved := math.Abs(a-shift) + math.Abs(b-slope)*(points[len(points)-1][0]-origin)
		shift, slope = a, b
		if moved < 1e-15 {
			break
		}
		for i, p := range points {
			weights[i] = 1
			if r := math.Abs(p[1] - shift - slope*(p[0]-origin)); r > outlier {
				weights[i] = outlier / r
			}
		}
	}
	return shift - slope*origin, slope
}

// weightedLine fits a line by weighted least squares. Times are relative to origin.
func weightedLine(points [][2]float64, weights []float64, origin float64) (shift, slope float64) {
	var w, t, v float64
	for i, p := range points {
		w += weights[i]
		t += weights[i] * (p[0] - origin)
		v += weights[i] * p[1]
	}
	t, v = t/w, v/w
	var tt, tv float64
	for i, p := range points {
		d := p[0] - origin - t
		tt += weights[i] * d * d
		tv += weights[i] * d * (p[1] - v)
	}
	if tt > 0 {
		slope = tv / tt
	}
	return v - slope*t, slope
}

// dejitter divides a regular stream at its breaks and replaces the times of each piece by a line.
func (s *stream) dejitter() {
	n := len(s.times)
	if n == 0 {
		return
	}
	longest := math.Max(breakSeconds, breakSamples/s.head.Rate)
	first := 0
	for k := 1; k <= n; k++ {
		if k < n && math.Abs(s.times[k]-s.times[k-1]) <= longest {
			continue
		}
		s.pieces = append(s.pieces, [2]int{first, k - 1})
		straighten(s.times[first:k])
		first = k
	}
}

// straighten replaces times by the straight line that fits them best.
func straighten(times []float64) {
	n := float64(len(times))
	var mean, cross float64
	for _, t := range times {
		mean += t - times[0]
	}
	mean = mean/n + times[0]
	for k, t := range times {
		cross += (float64(k) - (n-1)/2) * (t - mean)
	}
	slope := 0.0
	if len(times) > 1 {
		slope = cross / (n * (n*n - 1) / 12)
	}
	for k := range times {
		times[k] = mean + slope*(float64(k)-(n-1)/2)
	}
}

// interval returns the mean time between samples within pieces.
func (s *stream) interval() float64 {
	var seconds float64
	count := 0
	for _, p := range s.pieces {
		seconds += s.times[p[1]] - s.times[p[0]]
		count += p[1] - p[0]
	}
	return seconds / float64(count)
}
