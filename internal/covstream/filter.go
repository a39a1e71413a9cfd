package covstream

import (
	"cmp"
	"fmt"

	"rao/internal/dsp"
	"rao/recipe"
)

// filter is a causal Butterworth filter with its state, for blocks of any length.
type filter struct {
	state *dsp.State
	fresh bool
	width int
}

// newFilter returns a causal filter for a stream with the given number of channels and sampling rate in hertz. order
// 0 means DefaultOrder. It starts as if the signal had always had the values of the first sample, so an offset
// of the amplifier causes no transient.
func newFilter(b recipe.Band, order, channels int, rate float64) (*filter, error) {
	f, err := dsp.Band(b.Low, b.High, cmp.Or(order, DefaultOrder), rate)
	if err != nil {
		return nil, err
	}
	if channels < 1 {
		return nil, fmt.Errorf("the number of channels of a filter is %d; it must be 1 or more", channels)
	}
	return &filter{state: f.NewState(channels), fresh: true, width: channels}, nil
}

// process filters a block (samples×channels) in place, without allocation. It panics with mat.ErrShape if the block
// does not consist of complete samples.
func (f *filter) process(block []float64) {
	if f.fresh && len(block) >= f.width {
		f.state.Settle(block[:f.width])
		f.fresh = false
	}
	f.state.Process(block, block)
}

// reset returns the filter to its initial state.
func (f *filter) reset() {
	f.state.Reset()
	f.fresh = true
}
