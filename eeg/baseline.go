package eeg

import (
	"fmt"
	"math"
)

// Span is a time interval in seconds relative to an event. It includes both ends.
type Span struct{ From, To float64 }

func (s Span) check(rate float64) error {
	if s == (Span{}) {
		return nil
	}
	if !(s.From < s.To) {
		return fmt.Errorf("the baseline is from %g to %g s; the end must come after the start", s.From, s.To)
	}
	if !(math.Max(math.Abs(s.From), math.Abs(s.To))*rate < math.MaxInt32) {
		return fmt.Errorf("the baseline is from %g to %g s; both must be less than 2^31 samples from the event",
			s.From, s.To)
	}
	return nil
}

// samples returns the first sample of the span, relative to its event, and the number of samples, from
// round(From·rate) to round(To·rate). The zero value has no samples.
func (s Span) samples(rate float64) (first, count int) {
	if s == (Span{}) {
		return 0, 0
	}
	first = int(math.Round(s.From * rate))
	return first, int(math.Round(s.To*rate)) - first + 1
}

// levelOff subtracts the mean over the baseline from the channels of signal number j. first is the first sample of
// the trial.
func (c *cutter) levelOff(w *trialWork, sig *Recording, first, j int) error {
	from, count := c.opt.Baseline.samples(sig.Rate)
	if count == 0 {
		return nil
	}
	if w.level == nil {
		w.level = make([]float64, (count+1)*w.channels)
	}
	event := first - int(math.Round(c.opt.Start*sig.Rate))
	span, mean := w.level[:count*w.channels], w.level[count*w.channels:]
	if err := sig.Read(span, event+from, count); err != nil {
		return err
	}
	clear(mean)
	for k, v := range span {
		mean[k%w.channels] += v / float64(count)
	}
	for row := range c.samples {
		for i, v := range mean {
			w.x.RawRowView(row)[j*w.channels+i] -= v
		}
	}
	return nil
}
