package stream

import (
	"cmp"
	"fmt"

	"rao/internal/dsp"
	"rao/recipe"
)

// filter is a Butterworth filter for a stream of samples: second-order sections
// with their state, causal. Blocks may have any length.
type filter struct {
	state *dsp.State
	fresh bool
	width int
}

// newFilter returns a causal filter for a stream of the given channels and
// sampling rate (Hz). order 0 is recipe.DefaultOrder. Its state starts as if the first sample
// had lasted forever, so that an offset of the amplifier makes no jump.
func newFilter(b recipe.Band, order, channels int, rate float64) (*filter, error) {
	f, err := dsp.Band(b.Low, b.High, cmp.Or(order, recipe.DefaultOrder), rate)
	if err != nil {
		return nil, err
	}
	if channels < 1 {
		return nil, fmt.Errorf("a filter for %d channels: it needs one or more", channels)
	}
	return &filter{state: f.NewState(channels), fresh: true, width: channels}, nil
}

// process filters a block (samples×channels) in place, without allocation. It
// panics with mat.ErrShape if the block is not whole samples.
func (f *filter) process(block []float64) {
	if f.fresh && len(block) >= f.width {
		f.state.Settle(block[:f.width])
		f.fresh = false
	}
	f.state.Process(block, block)
}

// reset starts the filter anew, as NewFilter does.
func (f *filter) reset() {
	f.state.Reset()
	f.fresh = true
}
