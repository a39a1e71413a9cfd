package stream

import "math"

// SampleError is a fault of the incoming samples, after which a stream may continue.
type SampleError struct {
	Came    int64 // samples that the stream has accepted so far
	Refused bool  // the next sample has a value that is not finite, and was rejected
	// Repeated reports that the previous sample was also rejected.
	Repeated bool
	Err      error
}

func (e *SampleError) Error() string { return e.Err.Error() }
func (e *SampleError) Unwrap() error { return e.Err }

// Skip skips and counts an unusable sample and restarts the signal after it.
func (s *Stream) Skip() {
	s.came++
	s.Restart()
}

// Flat returns the numbers of the incoming channels that have been constant for a window.
func (s *Stream) Flat() []int { return s.flat.channels() }

// flatness counts how long each channel has had one value.
type flatness struct {
	window int64
	last   []float64
	same   []int64 // samples, the present one included; 0 before the first
}

func newFlatness(channels int, window float64) flatness {
	return flatness{max(2, int64(math.Round(window))), make([]float64, channels), make([]int64, channels)}
}

func (f *flatness) reset() { clear(f.same) }

func (f *flatness) push(row []float64) {
	for c, v := range row {
		if v != f.last[c] {
			f.same[c] = 0
		}
		f.last[c] = v
		f.same[c]++
	}
}

func (f *flatness) channels() (flat []int) {
	for c, n := range f.same {
		if n >= f.window {
			flat = append(flat, c)
		}
	}
	return flat
}
