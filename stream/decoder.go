package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao/internal/units"
	"rao/model"
	"rao/spd"
)

// DecoderOptions say what comes to a decoder. The zero value takes everything from the
// model's recipe.
type DecoderOptions struct {
	model.DecoderOptions
	// Channels are the names of the channels that come, in their order: those of the
	// model are picked by name. Nil: exactly the model's, in its order.
	Channels []string
	// Rate of the samples that come, in hertz; 0: that of the recipe.
	Rate float64
	// Units are those of the channels, such as uV, which are changed to the unit of the training;
	// nil, or empty where not known.
	Units []string
	// Reference is the electrode that the channels are measured against; empty: not known.
	Reference string
	// Step is the time between decisions in seconds; 0: the length of the window.
	Step float64
	// Fault receives samples that are not finite and windows without a decision, and Push goes on after
	// them. Nil: they are errors of Push.
	Fault func(*SampleError)
	// Stream says how samples become matrices, for a model that does not know. With one
	// that does, what contradicts its recipe is an error. Its Step is ignored.
	Stream *Options
}

// Decoder is a model.Decoder of a live signal: it chooses channels, changes their units, filters and
// cuts windows. Samples go in by Push, and matrices that exist already by Observe. For a causal recipe
// and the same samples its decisions are those of Model.Predict. It is not safe for concurrent use.
type Decoder struct {
	*model.Decoder
	model  *model.Model
	opt    DecoderOptions
	stream *Stream         // nil of a decoder that takes only whole observations
	pick   []int           // channel of each of the model's channels, nil for all in order
	picked []float64       // one sample
	scales []units.Rescale // of each of the model's channels, nil for none
	width  int             // channels that come
	one    *spd.Stack      // the matrix of the window
	notes  []string
	faulty bool // the last sample was refused
}

// NewDecoder returns a decoder of the model at the start of a stream. Options that
// contradict the model's recipe are errors that name what, and so are channels that are
// missing. A model without a recipe decides on whole observations only, unless the
// options say how samples become matrices.
func NewDecoder(m *model.Model, opt DecoderOptions) (*Decoder, error) {
	inner, err := model.NewDecoder(m, opt.DecoderOptions)
	if err != nil {
		return nil, err
	}
	d := &Decoder{Decoder: inner, model: m, opt: opt}
	whole := m.Input.Kind == model.KindVectors || m.Input.Recipe == nil || m.Input.Recipe.Signal == nil
	if opt.Stream == nil && whole {
		return d, nil
	}
	return d, d.open()
}

// Notes are what a user should know of the decoder, a sentence each.
func (d *Decoder) Notes() []string { return slices.Concat(d.Decoder.Notes(), d.notes) }

// Seconds returns the length of the signal behind a decision, 0 for a decoder that takes whole observations only.
func (d *Decoder) Seconds() float64 {
	if d.stream == nil {
		return 0
	}
	return float64(d.stream.Window()) / d.stream.Rate()
}

// Width returns the number of values in a sample, 0 for a decoder that takes whole
// observations only.
func (d *Decoder) Width() int { return d.width }

// Push takes a block of samples (samples×channels, the oldest first) and calls emit with
// the decision on every window that it completes. An error of emit ends it and is returned, and so
// is that of the context before the next decision. Samples that are not finite and windows that have
// no covariance are given to the Fault of the options, or else are *SampleErrors.
// It panics with mat.ErrShape if the block ends within a sample.
func (d *Decoder) Push(ctx context.Context, block []float64, emit func(model.Decision) error) error {
	if d.stream == nil && d.model.Input.Kind == model.KindVectors {
		return fmt.Errorf("the %s model decides on complete trials, not on a live signal; cut the trials at their "+
			"events, and predict", d.model.Method)
	}
	if d.stream == nil {
		return fmt.Errorf("the %s model does not record how its matrices were made from a signal; give the "+
			"window, the rate and the bands, or give matrices", d.model.Method)
	}
	if len(block)%d.width != 0 {
		panic(mat.ErrShape)
	}
	step := func(cov *mat.SymDense, end int64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		d.one.Set(0, cov)
		decision, err := d.Observe(d.one.Data)
		if err != nil {
			return &SampleError{Came: end, Err: err}
		}
		decision.At = end
		return emit(decision)
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
			d.stream.Skip()
		}
		d.opt.Fault(fault)
	}
	return nil
}

// Restart says that the signal begins anew, as after a gap: filters and window start
// afresh, and no window reaches across. What adaptation and updates have learned stays, and
// samples are counted on.
func (d *Decoder) Restart() {
	if d.stream != nil {
		d.stream.Restart()
	}
}

// choose returns the model's channels of a sample, in the unit of the training.
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

// Skip counts a sample that is missing, and restarts the signal after it.
func (d *Decoder) Skip() { d.stream.Skip() }

// Flat names the model's channels whose value has not changed for a window; where they have no names,
// by their numbers from 1.
func (d *Decoder) Flat() (names []string) {
	if d.stream == nil {
		return nil
	}
	for _, c := range d.stream.Flat() {
		name := strconv.Itoa(c + 1)
		if r := d.model.Input.Recipe; r != nil && r.Signal != nil {
			name = r.Signal.Inputs()[c]
		}
		names = append(names, name)
	}
	return names
}
