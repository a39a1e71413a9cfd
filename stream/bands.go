package stream

import (
	"cmp"
	"fmt"
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

// NewFilter returns a causal filter for a stream of the given channels and
// sampling rate (Hz). order 0 is DefaultOrder. Its state starts as if the first sample
// had lasted forever, so that an offset of the amplifier makes no jump.
func NewFilter(b Band, order, channels int, rate float64) (*Filter, error) {
	f, err := dsp.Band(b.Low, b.High, cmp.Or(order, DefaultOrder), rate)
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
