package eeg

import (
	"fmt"
	"math"

	"rao/internal/covstream"
)

// checkBaseline returns an error unless the interval b, in seconds relative to an event, is possible.
func checkBaseline(b [2]float64, rate float64) error {
	switch {
	case b == [2]float64{}:
		return nil
	case !(b[0] < b[1]):
		return fmt.Errorf("the baseline is from %g to %g s; the end must come after the start", b[0], b[1])
	case !(math.Max(math.Abs(b[0]), math.Abs(b[1]))*rate < math.MaxInt32):
		return fmt.Errorf("the baseline is from %g to %g s; both must be less than 2^31 samples from the event", b[0],
			b[1])
	}
	return nil
}

// baselineSamples returns the first sample of a baseline, relative to its event, and the number of samples. The zero
// value has no samples.
func baselineSamples(b [2]float64, rate float64) (first, count int) {
	if b == [2]float64{} {
		return 0, 0
	}
	return covstream.BaselineSamples(b[:], rate)
}

// levelOff subtracts the mean over the baseline from the channels of signal number j. first is the first sample of
// the trial.
func (c *cutter) levelOff(w *trialWork, sig *Recording, first, j int) error {
	from, count := baselineSamples(c.opt.Baseline, sig.Rate)
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
