package stream

import (
	"context"
	"fmt"
	"math"

	"rao"
	"rao/internal/covstream"
	"rao/internal/optionvalues"
	"rao/model"
)

// EventDecoder makes one decision per event, based on the signal that starts a fixed delay after the event. It
// classifies complete trials, for models of evoked potentials, or their covariances. If the recipe is causal, it makes
// the same decisions as Model.Predict on trials cut at the events. It is not safe for concurrent use.
type EventDecoder struct {
	*Decoder
	signals bool // the model classifies trials, not matrices
	events  *covstream.Events
	row     []float64
	ctx     context.Context
	emit    func(event int, decision model.Decision) error
}

// NewEventDecoder returns a decoder for windows that begin start seconds after their events. opt.Step is ignored. It
// returns an error if the options contradict the model's recipe, the model has no recipe for a signal, or start is not
// within 1000 seconds.
func NewEventDecoder(m *model.Model, start float64, opt DecoderOptions) (*EventDecoder, error) {
	r := m.Input.Recipe
	if r == nil || r.Signal == nil {
		return nil, fmt.Errorf("the %s model does not record how its trials were cut from a signal; fit it to trials "+
			"or covariances of recordings", m.Method)
	}
	if !(math.Abs(start) <= 1e3) {
		return nil, rao.Optionf("start", "{start=%g}: the start must be between -1000 and 1000 seconds after the event",
			start)
	}
	inner, err := model.NewDecoder(m, opt.DecoderOptions)
	if err != nil {
		return nil, err
	}
	d := &EventDecoder{Decoder: &Decoder{Decoder: inner, model: m, opt: opt},
		signals: r.Signal.Estimator == optionvalues.EstimatorNone}
	o, rate, channels, err := d.streamOptions()
	if err != nil {
		return nil, err
	}
	d.width = channels
	if opt.Channels != nil {
		d.width = len(opt.Channels)
	}
	window := covstream.NewTrialWindow(r.Signal.Rate, start, r.Signal.Window, r.Signal.Baseline)
	if d.events, err = covstream.NewEvents(channels, rate, window, o, d.decide); err != nil {
		return nil, err
	}
	d.stream = d.events.Stream
	d.picked, d.row = make([]float64, channels), make([]float64, window.Length*d.stream.Columns())
	if got := d.size(); got != m.Input.Dim {
		return nil, fmt.Errorf("the trials have size %d, but the trials of the training data have size %d; give the "+
			"same channels, bands and length", got, m.Input.Dim)
	}
	return d, nil
}

// size returns the size of an observation: number of values of a trial, or order of a matrix.
func (d *EventDecoder) size() int {
	if d.signals {
		return len(d.row)
	}
	return d.stream.Dim()
}

// Mark adds an event at a sample, counted from the start of the signal at 0. event is passed to emit with the decision.
// ok is false if the window of the event begins before the signal or its last break, or has already passed.
func (d *EventDecoder) Mark(event int, sample int64) (ok bool) {
	return d.events.Mark(event, sample)
}

// Push processes a block of samples (samples×channels, oldest first) and calls emit with the decision on every event
// with a window that ends in the block. Faults are handled as in [Decoder.Push]; an unusable sample discards the
// events whose window contains it. It panics with mat.ErrShape if the block ends within a sample.
func (d *EventDecoder) Push(ctx context.Context, block []float64,
	emit func(event int, decision model.Decision) error) error {
	d.ctx, d.emit = ctx, emit
	return d.push(block, nil, func() { d.events.Restart(1) })
}

// Restart is [Decoder.Restart]. It discards the pending events, and returns their number.
func (d *EventDecoder) Restart(missing int) (lost int) {
	lost = d.events.Drop()
	d.events.Restart(missing)
	return lost
}

// decide makes the decision for an event with a window that is complete.
func (d *EventDecoder) decide(t covstream.Trial) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	x, err := d.observation()
	var decision model.Decision
	if err == nil {
		decision, err = d.Observe(x)
	}
	if err != nil {
		return &SampleError{Accepted: d.events.Came(), Err: err}
	}
	decision.At = d.events.Came()
	return d.emit(t.Event, decision)
}

// observation returns the input of the model for the last window.
func (d *EventDecoder) observation() ([]float64, error) {
	if !d.signals {
		cov, err := d.stream.Covariance()
		if err != nil {
			return nil, err
		}
		return cov.RawSymmetric().Data, nil
	}
	d.stream.Trial(d.row, d.events.Cut)
	return d.row, nil
}
