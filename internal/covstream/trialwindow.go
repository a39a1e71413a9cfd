package covstream

import "math"

// TrialWindow is the window of a [Stream] that contains the trial of an event and its baseline.
type TrialWindow struct {
	Length int // length of the trial; all fields are in samples at the rate of the matrices
	Lead   int // time from the start of the window to the start of the trial
	Ends   int // time from the event to the end of the window
	base   int // first sample of the baseline in the window
	level  int // length of the baseline; 0 for none
}

// NewTrialWindow returns the window of a trial that begins start seconds after its event and lasts length seconds.
// rate is the rate of the matrices. baseline is as in recipe.Signal; nil means none.
func NewTrialWindow(rate, start, length float64, baseline []float64) TrialWindow {
	first := int(math.Round(start * rate))
	w := TrialWindow{Length: int(math.Round(length * rate))}
	w.Ends = first + w.Length
	if len(baseline) == 2 {
		var from int
		from, w.level = BaselineSamples(baseline, rate)
		w.Lead = max(0, first-from)
		w.Ends = max(w.Ends, from+w.level)
		w.base = max(0, from-first)
	}
	return w
}

// BaselineSamples returns the first sample of a baseline, relative to its event, and the number of samples, from
// round(baseline[0]·rate) to round(baseline[1]·rate).
func BaselineSamples(baseline []float64, rate float64) (first, count int) {
	first = int(math.Round(baseline[0] * rate))
	return first, int(math.Round(baseline[1]*rate)) - first + 1
}

// Seconds returns the length of the window in seconds, for Options.Window.
func (w TrialWindow) Seconds(rate float64) float64 {
	return float64(max(w.Lead+w.Length, w.base+w.level)) / rate
}

// Trial sets dst to the trial in the last window, channel after channel of each band, with the mean of the baseline
// subtracted. dst must have Length values per channel and band.
func (s *Stream) Trial(dst []float64, w TrialWindow) {
	window := s.last(0, s.Columns())
	for j := range s.Columns() {
		mean := 0.0
		for k := range w.level {
			mean += window.At(w.base+k, j) / float64(w.level)
		}
		for k := range w.Length {
			dst[j*w.Length+k] = window.At(w.Lead+k, j) - mean
		}
	}
}
