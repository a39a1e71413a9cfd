package dsp

import (
	"fmt"
	"math"
)

// NotchQuality is the frequency of a notch divided by its bandwidth.
const NotchQuality = 30

// Notch designs a filter that removes each of the given frequencies in hertz. The half-power bandwidth of a notch is
// its frequency divided by NotchQuality. It has one section per frequency, as in scipy.signal.iirnotch. Frequencies
// must be strictly between 0 and rate/2.
func Notch(rate float64, frequencies ...float64) (*Filter, error) {
	f := new(Filter)
	for _, hz := range frequencies {
		if !(hz > 0 && hz < rate/2) {
			return nil, fmt.Errorf("the notch is at %g Hz; it must be above 0 and below half the sampling rate of %g "+
				"Hz", hz, rate)
		}
		w := 2 * math.Pi * hz / rate
		gain := 1 / (1 + math.Tan(w/NotchQuality/2))
		turn := -2 * math.Cos(w)
		f.Sections = append(f.Sections, Section{B0: gain, B1: gain * turn, B2: gain, A1: gain * turn, A2: 2*gain - 1})
	}
	return f, nil
}
