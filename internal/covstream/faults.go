package covstream

import "math"

// SampleError is a fault in the incoming samples. The stream can continue after it.
type SampleError struct {
	Accepted int64 // number of samples accepted so far
	Refused  bool  // the next sample was rejected because a value is not finite
	// Repeated is true if the previous sample was also rejected.
	Repeated bool
	Err      error // the fault
}

// Error returns the text of Err.
func (e *SampleError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *SampleError) Unwrap() error { return e.Err }

// Flat returns the indexes of the incoming channels that have been constant for at least a window.
func (s *Stream) Flat() []int { return s.flat.channels() }

// flatness counts, for each channel, the samples for which it has been constant.
type flatness struct {
	window int64
	last   []float64
	same   []int64 // number of samples, including the current one; 0 before the first
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
