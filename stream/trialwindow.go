package stream

import "math"

// TrialWindow is the window of a [Stream] that holds the trial of an event and its baseline.
type TrialWindow struct {
	Length int // samples of the trial, all at the rate of the matrices
	Lead   int // of the window before the trial
	Ends   int // from the event to the end of the window
	base   int // first one of the baseline in the window
	level  int // of the baseline; 0 for none
}

// NewTrialWindow returns the window of a trial that begins start seconds after its event and lasts length seconds, at
// the rate of the matrices. The baseline is that of recipe.Signal, nil for none.
func NewTrialWindow(rate, start, length float64, baseline []float64) TrialWindow {
	first := int(math.Round(start * rate))
	w := TrialWindow{Length: int(math.Round(length * rate))}
	w.Ends = first + w.Length
	if len(baseline) == 2 {
		from := int(math.Round(baseline[0] * rate))
		w.level = int(math.Round(baseline[1]*rate)) - from + 1
		w.Lead = max(0, first-from)
		w.Ends = max(w.Ends, from+w.level)
		w.base = max(0, from-first)
	}
	return w
}

// Seconds is the length of the window; Options.Window takes it.
func (w TrialWindow) Seconds(rate float64) float64 {
	return float64(max(w.Lead+w.Length, w.base+w.level)) / rate
}

// Trial writes the trial in the last window to dst, channel after channel of each band, less the mean of the baseline.
// Dst has room for Length samples of each.
func (s *Stream) Trial(dst []float64, w TrialWindow) {
	window := s.last(0, s.wide())
	for j := range s.wide() {
		mean := 0.0
		for k := range w.level {
			mean += window.At(w.base+k, j) / float64(w.level)
		}
		for k := range w.Length {
			dst[j*w.Length+k] = window.At(w.Lead+k, j) - mean
		}
	}
}
