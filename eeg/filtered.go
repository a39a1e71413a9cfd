package eeg

import (
	"cmp"
	"fmt"
	"slices"

	"rao/internal/covstream"
	"rao/internal/dsp"
	"rao/internal/linalg/vec"
	"rao/recipe"
)

// filtered returns the recording after a band-pass filter, run forward and backward without phase shift, or causally.
// order 0 means covstream.DefaultOrder. Samples that are not finite are interpolated linearly before the filter runs,
// and trials that contain them are invalid. The filter restarts at breaks. The result is in memory: 8 bytes per
// sample and channel.
func (r *Recording) filtered(b recipe.Band, order int, causal bool) (*Recording, error) {
	f, err := dsp.Band(b.Low, b.High, cmp.Or(order, covstream.DefaultOrder), r.Rate)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Source, err)
	}
	c := len(r.Channels)
	out := *r
	out.reader, out.keep = nil, nil
	out.data = make([]float64, r.samples*c)
	if err := r.Read(out.data, 0, r.samples); err != nil {
		return nil, err
	}
	gaps, err := bridge(out.data, r.Channels)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Source, err)
	}
	out.gaps = append(append([][2]int{}, r.gaps...), gaps...)
	for _, p := range out.betweenBreaks() {
		if err := filter(f, causal, p, c); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Source, err)
		}
	}
	return &out, nil
}

// betweenBreaks returns the samples in memory, divided at breaks.
func (r *Recording) betweenBreaks() [][]float64 {
	var out [][]float64
	c, last := len(r.Channels), 0
	for _, at := range append(slices.Clone(r.Breaks), r.samples) {
		if at > last && at <= r.samples {
			out = append(out, r.data[last*c:at*c])
			last = at
		}
	}
	return out
}

// bridge interpolates linearly over values that are not finite, channel by channel, and returns the spans of samples
// that it changed.
func bridge(data []float64, names []string) ([][2]int, error) {
	channels := len(names)
	n := len(data) / channels
	var gaps [][2]int
	finite := func(k, c int) bool { return vec.Finite(data[k*channels+c]) }
	for c := range channels {
		last := -1 // index of the last finite sample
		for k := 0; k <= n; k++ {
			if k < n && !finite(k, c) {
				continue
			}
			if k-last > 1 {
				if k == n && last < 0 {
					return nil, fmt.Errorf("channel %s has no finite sample; drop it", names[c])
				}
				gaps = append(gaps, [2]int{last + 1, k})
				for j := last + 1; j < k; j++ {
					data[j*channels+c] = between(data, channels, c, last, j, k, n)
				}
			}
			last = k
		}
	}
	return gaps, nil
}

// between interpolates sample j of channel c between the finite samples lo and hi. If only one of them exists, it
// returns the value of that sample.
func between(data []float64, channels, c, lo, j, hi, n int) float64 {
	switch {
	case lo < 0:
		return data[hi*channels+c]
	case hi == n:
		return data[lo*channels+c]
	}
	a, b := data[lo*channels+c], data[hi*channels+c]
	return a + (b-a)*float64(j-lo)/float64(hi-lo)
}
