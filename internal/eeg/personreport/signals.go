package personreport

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"rao/eeg"
	"rao/internal/eeg/trialevents"
	"rao/internal/electrodes"
	"rao/internal/linalg/vec"
)

// window computes power spectra of segments with a Hann window.
type window struct {
	fft   *fourier.FFT
	taper []float64
	scale float64 // converts squared coefficients to a density in unit² per hertz
	work  []float64
	coeff []complex128
}

func newWindow(samples int, rate float64) *window {
	w := &window{fft: fourier.NewFFT(samples), taper: make([]float64, samples), work: make([]float64, samples)}
	power := 0.0
	for i := range w.taper {
		w.taper[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(samples))
		power += w.taper[i] * w.taper[i]
	}
	w.scale = 2 / (rate * power)
	return w
}

// add adds the power density of channel c to sum, after subtracting the mean. n is the number of channels in samples.
func (w *window) add(sum, samples []float64, c, n int) {
	mean := 0.0
	for i := range w.work {
		w.work[i] = samples[i*n+c]
		mean += w.work[i] / float64(len(w.work))
	}
	for i, t := range w.taper {
		w.work[i] = (w.work[i] - mean) * t
	}
	w.coeff = w.fft.Coefficients(w.coeff, w.work)
	for k := range sum {
		re, im := real(w.coeff[k]), imag(w.coeff[k])
		power := w.scale * (re*re + im*im)
		if 2*k == len(w.work) { // this frequency has no negative counterpart
			power /= 2
		}
		sum[k] += power
	}
}

// usable reports whether samples first to first+count−1 exist, are finite and contain no break. It reads the samples
// into buf.
func usable(r *eeg.Recording, buf []float64, first, count int) (bool, error) {
	if first < 0 || first+count > r.Samples() {
		return false, nil
	}
	for _, b := range r.Breaks {
		if b > first && b < first+count {
			return false, nil
		}
	}
	if err := r.Read(buf[:count*len(r.Channels)], first, count); err != nil {
		return false, err
	}
	return vec.NotFinite(buf[:count*len(r.Channels)]) < 0, nil
}

// spectra are power densities of the channels of a recording by Welch's method, in segments of two seconds that
// overlap by half. Spectral matrices of trials are estimated by package covstream, with the segments of their recipe, a
// symmetric window, and without subtracting the mean.
type spectra struct {
	hertz   []float64
	density [][]float64 // channels × frequencies
}

func welch(r *eeg.Recording) (*spectra, error) {
	n, samples := len(r.Channels), int(math.Round(2*r.Rate))
	s := &spectra{density: make([][]float64, n)}
	bins := samples/2 + 1
	for k := range bins {
		s.hertz = append(s.hertz, float64(k)*r.Rate/float64(samples))
	}
	for c := range s.density {
		s.density[c] = make([]float64, bins)
	}
	w, buf, pieces := newWindow(samples, r.Rate), make([]float64, samples*n), 0
	for first := 0; first+samples <= r.Samples(); first += max(1, samples/2) {
		ok, err := usable(r, buf, first, samples)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		pieces++
		for c := range n {
			w.add(s.density[c], buf, c, n)
		}
	}
	for c := range s.density {
		for k := range s.density[c] {
			s.density[c][k] /= float64(max(1, pieces))
		}
	}
	return s, nil
}

// band returns the power of a channel between two frequencies.
func (s *spectra) band(c int, low, high float64) float64 {
	sum := 0.0
	for k, f := range s.hertz {
		if f >= low && f <= high {
			sum += s.density[c][k] * s.hertz[1]
		}
	}
	return sum
}

// A channel is unlike the others if the z-score of its logarithmic power exceeds unlikeScore. leastDecades is the
// smallest spread, in decades, that the z-score divides by.
const (
	unlikeScore  = 4
	leastDecades = 0.25 / unlikeScore * 2
)

// unlike compares the power of the channels between 1 and 40 Hz. It returns the channels with much more power than the
// others, and the channels with much less power or none.
func (s *spectra) unlike(channels []string) (loud, quiet []string) {
	logs := make([]float64, len(channels))
	for c := range channels {
		logs[c] = math.Log10(s.band(c, 1, 40))
	}
	center, distance := vec.Deviations(logs)
	spread := math.Max(leastDecades, 1.4826*vec.Median(distance))
	for c, v := range logs {
		switch z := (v - center) / spread; {
		case !(z >= -unlikeScore): // also true if there is no power
			quiet = append(quiet, channels[c])
		case z > unlikeScore:
			loud = append(loud, channels[c])
		}
	}
	return loud, quiet
}

// regions are groups of channels by the first letters of their 10-10 name. Longer prefixes come first.
var regions = []struct{ begin, name string }{
	{"FP", "frontal"}, {"AF", "frontal"}, {"FC", "central"}, {"FT", "temporal"}, {"CP", "parietal"},
	{"TP", "temporal"}, {"PO", "occipital"}, {"F", "frontal"}, {"C", "central"}, {"T", "temporal"}, {"P", "parietal"},
	{"O", "occipital"}, {"I", "occipital"},
}

func regionOf(channel string) string {
	if _, known := electrodes.Position(channel); known {
		for _, r := range regions {
			if strings.HasPrefix(strings.ToUpper(channel), r.begin) {
				return r.name
			}
		}
	}
	return "other channels"
}

// course is the change in power of the channels over time and frequency around the events of a class, relative to the
// power before the events. Negative values are event-related desynchronization.
type course struct {
	seconds, hertz []float64
	change         [][]*mat.Dense // classes × channels: frequencies × seconds; nil for a class without trials
	trials         []int          // number of trials of each class
}

// These constants are the timing of the maps, in seconds.
const (
	before       = 1.0 // time before the event that is shown and used as reference
	courseWindow = 0.5 // length of a window
	courseStep   = 0.1 // step between windows
)

// courses averages power over the trials of all recordings. It returns nil if the trials are too short or the rate is
// too low.
func courses(recs []*eeg.Recording, classes []eeg.Class, anchor eeg.Class, stop float64) (*course, error) {
	rate, n := recs[0].Rate, len(recs[0].Channels)
	samples := int(math.Round(courseWindow * rate))
	c := &course{change: make([][]*mat.Dense, len(classes)), trials: make([]int, len(classes))}
	low, high := 4, 40 // in hertz
	first, bins := int(math.Ceil(float64(low)*courseWindow)), 0
	for k := first; float64(k)/courseWindow <= math.Min(float64(high), rate/2); k++ {
		c.hertz = append(c.hertz, float64(k)*rate/float64(samples))
		bins = k + 1
	}
	for t := -before + courseWindow/2; t <= stop-courseWindow/2+1e-9; t += courseStep {
		c.seconds = append(c.seconds, t)
	}
	if len(c.hertz) < 2 || len(c.seconds) < 2 {
		return nil, nil
	}
	sums := make([][][]float64, len(classes)) // classes × (channels · seconds) × frequency bins
	for k := range sums {
		sums[k] = make([][]float64, n*len(c.seconds))
		for i := range sums[k] {
			sums[k][i] = make([]float64, bins)
		}
	}
	w := newWindow(samples, rate)
	length := int(math.Round((before+stop)*rate)) + 1
	buf := make([]float64, length*n)
	for _, r := range recs {
		for _, e := range trialevents.Starts(r.Events, classes, anchor) {
			at := e.Sample - int(math.Round(before*rate))
			if ok, err := usable(r, buf, at, length); err != nil {
				return nil, err
			} else if !ok || e.Conflict != "" {
				continue
			}
			c.trials[e.Class]++
			for j, t := range c.seconds {
				from := min(int(math.Round((t-courseWindow/2+before)*rate)), length-samples)
				for ch := range n {
					w.add(sums[e.Class][ch*len(c.seconds)+j], buf[from*n:], ch, n)
				}
			}
		}
	}
	for k := range classes {
		if c.trials[k] == 0 {
			continue
		}
		for ch := range n {
			c.change[k] = append(c.change[k], c.relative(sums[k][ch*len(c.seconds):(ch+1)*len(c.seconds)], first))
		}
	}
	return c, nil
}

// relative divides the power at each time by its mean over the windows that end before the event, and subtracts 1.
func (c *course) relative(power [][]float64, first int) *mat.Dense {
	out := mat.NewDense(len(c.hertz), len(c.seconds), nil)
	for f := range c.hertz {
		base, windows := 0.0, 0.0
		for j, t := range c.seconds {
			if t+courseWindow/2 <= 1e-9 {
				base, windows = base+power[j][first+f], windows+1
			}
		}
		for j := range c.seconds {
			if base > 0 {
				out.Set(f, j, power[j][first+f]*windows/base-1)
			}
		}
	}
	return out
}

// shown returns the channels to draw: C3, Cz and C4. For flickering lights, or if one of these channels is missing, it
// returns the three channels with the largest change.
func (c *course) shown(channels []string, lights bool) []int {
	var hands []int
	for _, name := range []string{"C3", "Cz", "C4"} {
		if i := slices.Index(channels, name); i >= 0 {
			hands = append(hands, i)
		}
	}
	if len(hands) == 3 && !lights {
		return hands
	}
	return most(len(channels), func(ch int) float64 {
		change := 0.0
		for k := range c.change {
			if c.change[k] != nil {
				change += mat.Norm(c.change[k][ch], 2)
			}
		}
		return change
	})
}
