package eeg

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rao/internal/dsp"
)

// Band is a band of frequencies in hertz. With Low 0 it is everything below High,
// with High 0 everything above Low.
type Band struct{ Low, High float64 }

// String returns the band as ParseBands reads it.
func (b Band) String() string { return fmt.Sprintf("%g-%g", b.Low, b.High) }

// ParseBands reads bands separated by commas, such as "8-12,12-16" or "8-30".
func ParseBands(spec string) ([]Band, error) {
	var out []Band
	for _, word := range strings.Split(spec, ",") {
		low, high, ok := strings.Cut(strings.TrimSpace(word), "-")
		a, err1 := strconv.ParseFloat(low, 64)
		b, err2 := strconv.ParseFloat(high, 64)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("band %q: write LOW-HIGH in hertz, such as 8-30", word)
		}
		out = append(out, Band{a, b})
	}
	return out, nil
}

// DefaultOrder is the order of band-pass filters whose order is not given.
const DefaultOrder = 5

// Filter is a Butterworth filter for a stream of samples: second-order sections
// with their state, causal. Blocks may have any length.
type Filter struct {
	state *dsp.State
	fresh bool
	width int
}

// design returns the filter of a band.
func (b Band) design(order int, rate float64) (*dsp.Filter, error) {
	if order == 0 {
		order = DefaultOrder
	}
	switch {
	case b.Low == 0 && b.High == 0:
		return nil, fmt.Errorf("band 0-0 passes nothing; give its edges in hertz")
	case b.Low == 0:
		return dsp.Butterworth(dsp.LowPass, order, rate, b.High)
	case b.High == 0:
		return dsp.Butterworth(dsp.HighPass, order, rate, b.Low)
	}
	return dsp.Butterworth(dsp.BandPass, order, rate, b.Low, b.High)
}

// NewFilter returns a causal filter for a stream of the given channels and
// sampling rate (Hz). order 0 is DefaultOrder. Its state starts as if the first sample
// had lasted forever, so that an offset of the amplifier makes no jump.
func NewFilter(b Band, order, channels int, rate float64) (*Filter, error) {
	f, err := b.design(order, rate)
	if err != nil {
		return nil, err
	}
	if channels < 1 {
		return nil, fmt.Errorf("a filter for %d channels: it needs one or more", channels)
	}
	return &Filter{state: f.NewState(channels), fresh: true, width: channels}, nil
}

// Process filters a block (samples×channels) in place, without allocation. It
// panics with mat.ErrShape if the block is not whole samples.
func (f *Filter) Process(block []float64) {
	if f.fresh && len(block) >= f.width {
		f.state.Settle(block[:f.width])
		f.fresh = false
	}
	f.state.Process(block, block)
}

// Reset starts the filter anew, as NewFilter does.
func (f *Filter) Reset() {
	f.state.Reset()
	f.fresh = true
}

// Filtered returns the recording with its channels passed through the band:
// forward and backward without shift of phase, or causally. order 0 is DefaultOrder.
// Samples that are not finite (breaks of a recording) are bridged by straight lines
// before the filter runs, and epochs that touch them count as invalid afterwards. The
// filter starts anew at breaks. The
// result is in memory: 8 bytes a sample and channel.
func (r *Recording) Filtered(b Band, order int, causal bool) (*Recording, error) {
	f, err := b.design(order, r.Rate)
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
	gaps, err := bridge(out.data, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Source, err)
	}
	out.gaps = append(append([][2]int{}, r.gaps...), gaps...)
	for _, p := range out.pieces() {
		if causal {
			state := f.NewState(c)
			state.Settle(p[:c])
			state.Process(p, p)
		} else if err := f.ZeroPhase(p, p, c); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Source, err)
		}
	}
	return &out, nil
}

// pieces returns the samples in memory from break to break.
func (r *Recording) pieces() [][]float64 {
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

// bridge replaces runs of samples with values that are not finite by straight
// lines, channel by channel, and returns the spans that it touched.
func bridge(data []float64, channels int) ([][2]int, error) {
	n := len(data) / channels
	var gaps [][2]int
	finite := func(k, c int) bool { return !math.IsNaN(data[k*channels+c]) && !math.IsInf(data[k*channels+c], 0) }
	for c := range channels {
		last := -1 // the last finite sample
		for k := 0; k <= n; k++ {
			if k < n && !finite(k, c) {
				continue
			}
			if k-last > 1 {
				if k == n && last < 0 {
					return nil, fmt.Errorf("channel %d has no finite sample; drop it", c+1)
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

// between interpolates sample j of channel c between the finite samples lo and hi,
// or repeats the only one there is.
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
