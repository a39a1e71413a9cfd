package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/covstream"
	"rao/internal/recipes"
	"rao/internal/voltage"
	"rao/model"
	"rao/recipe"
)

// DecoderOptions describe the input of a decoder. With the zero value, the input is as described in the model's
// recipe.
type DecoderOptions struct {
	model.DecoderOptions
	// Channels are the names of the incoming channels in order. The decoder selects the model's channels by name. Nil
	// means that they are exactly the model's channels in its order.
	Channels []string
	// Rate is the rate of the incoming samples in hertz; 0 means the rate in the recipe.
	Rate float64
	// Units are the units of the channels, such as uV. Values are converted to the unit of the training data. Nil or
	// an empty string means unknown.
	Units []string
	// Reference is the reference electrode of the channels; empty means unknown.
	Reference string
	// Step is the time between decisions in seconds; 0 means the length of the window.
	Step float64
	// Fault is called for samples that are not finite and for windows without a decision; Push then continues. If it
	// is nil, Push returns these faults as errors.
	Fault func(*SampleError)
	// Signal describes how samples become matrices, for a model without a recipe. If the model has a recipe, the two
	// must agree.
	Signal *recipe.Signal
}

// SampleError is a fault in the incoming samples, after which the decoder can continue. Its field Err is the fault.
// Accepted is the number of samples accepted so far. Refused is true if the next sample was rejected because a value is
// not finite, and Repeated if the sample before it was rejected too.
type SampleError = covstream.SampleError

// Decoder is a [model.Decoder] for a live signal. It selects channels, converts units, filters and cuts windows. Call
// Push with samples, or Observe with precomputed matrices. If the recipe is causal, it makes the same decisions as
// Model.Predict on the same samples. It is not safe for concurrent use.
type Decoder struct {
	*model.Decoder
	model  *model.Model
	opt    DecoderOptions
	stream *covstream.Stream // nil if the decoder accepts only complete observations
	pick   []int             // index of each of the model's channels; nil for all in order
	picked []float64         // one sample
	scales []voltage.Rescale // conversion of each of the model's channels; nil for none
	width  int               // number of incoming channels
	notes  []string
	faulty bool // the last sample was rejected
}

// NewDecoder returns a decoder of the model at the start of a stream. It returns an error if the options contradict
// the model's recipe or channels are missing. For a model without a recipe, opt.Signal must describe how samples
// become matrices; otherwise the decoder accepts only complete observations.
func NewDecoder(m *model.Model, opt DecoderOptions) (*Decoder, error) {
	inner, err := model.NewDecoder(m, opt.DecoderOptions)
	if err != nil {
		return nil, err
	}
	d := &Decoder{Decoder: inner, model: m, opt: opt}
	complete := m.Input.Kind == model.KindVectors || recipes.SignalOf(m.Input.Recipe) == nil
	if opt.Signal == nil && complete {
		return d, nil
	}
	return d, d.open()
}

// Notes returns remarks for the user about the decoder, such as an unknown unit.
func (d *Decoder) Notes() []string { return slices.Concat(d.Decoder.Notes(), d.notes) }

// Seconds returns the length in seconds of the signal used for a decision, or 0 if the decoder accepts only complete
// observations.
func (d *Decoder) Seconds() float64 {
	if d.stream == nil {
		return 0
	}
	return float64(d.stream.Window()) / d.stream.Rate()
}

// Width returns the number of values per sample, or 0 if the decoder accepts only complete observations.
func (d *Decoder) Width() int { return d.width }

// Push processes a block of samples (samples×channels, oldest first) and calls emit with the decision on every
// completed window. It returns the error of emit or of ctx, if any, and an error if the decoder accepts only complete
// observations. Samples that are not finite and windows without a valid covariance are passed to Fault, or returned as
// a *SampleError if Fault is nil. It panics with mat.ErrShape if the block ends within a sample.
func (d *Decoder) Push(ctx context.Context, block []float64, emit func(model.Decision) error) error {
	if d.stream == nil && d.model.Input.Kind == model.KindVectors {
		return fmt.Errorf("the %s model works on vectors or trials, so it cannot decide on a live signal; use a "+
			"model of matrices, or predict trials that were cut at the events", d.model.Method)
	}
	if d.stream == nil {
		return rao.Optionf("window", "the %s model does not record how its matrices were computed from a signal; "+
			"give {window}, {rate} and {bands}, or give matrices", d.model.Method)
	}
	step := func(cov *mat.SymDense, end int64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		decision, err := d.Observe(cov.RawSymmetric().Data)
		if err != nil {
			return &SampleError{Accepted: end, Err: err}
		}
		decision.At = end
		return emit(decision)
	}
	return d.push(block, step, func() { d.stream.Restart(1) })
}

// push passes the samples of a block to the stream one by one, and faults to the caller's function, if it has one.
// skip skips a rejected sample.
func (d *Decoder) push(block []float64, step func(cov *mat.SymDense, end int64) error, skip func()) error {
	if len(block)%d.width != 0 {
		panic(mat.ErrShape)
	}
	for ; len(block) > 0; block = block[d.width:] {
		err := d.stream.Push(d.choose(block[:d.width]), step)
		var fault *SampleError
		if !errors.As(err, &fault) || d.opt.Fault == nil {
			if d.faulty = false; err != nil {
				return err
			}
			continue
		}
		fault.Repeated = fault.Refused && d.faulty
		if d.faulty = fault.Refused; d.faulty {
			skip()
		}
		d.opt.Fault(fault)
	}
	return nil
}

// Restart marks a break in the signal, such as a gap: filters and window restart, and no window extends across it.
// missing is the number of samples in the break that count, such as 1 after a sample that could not be read. Adaptation
// and updates continue.
func (d *Decoder) Restart(missing int) {
	if d.stream != nil {
		d.stream.Restart(missing)
	}
}

// choose returns the values of the model's channels in a sample, in the unit of the training data.
func (d *Decoder) choose(row []float64) []float64 {
	if d.pick == nil && d.scales == nil {
		return row
	}
	for i := range d.picked {
		c := i
		if d.pick != nil {
			c = d.pick[i]
		}
		d.picked[i] = row[c]
		if d.scales != nil {
			d.picked[i] = d.scales[i].Of(row[c])
		}
	}
	return d.picked
}

// Flat returns the names of the model's channels that have been constant for at least a window. If they have no
// names, it returns their numbers from 1.
func (d *Decoder) Flat() (names []string) {
	if d.stream == nil {
		return nil
	}
	for _, c := range d.stream.Flat() {
		name := strconv.Itoa(c + 1)
		if r := recipes.SignalOf(d.model.Input.Recipe); r != nil {
			name = recipes.Inputs(r)[c]
		}
		names = append(names, name)
	}
	return names
}
