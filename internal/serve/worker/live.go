package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"rao"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/model"
	"rao/recipe"
	"rao/stream"
)

// liveRequest contains the options of a decoder of a live signal, and the arguments of its operations. The options that
// describe how samples become matrices are nil if they were not given.
type liveRequest struct {
	Rate      float64         `json:"rate"`
	Channels  []string        `json:"channels"`
	Units     []string        `json:"channel_unit"` // one for all channels, or one per channel
	Reference string          `json:"reference"`
	Step      float64         `json:"step"`
	Adapt     model.Adapt     `json:"adapt"`
	Skip      bool            `json:"skip"`   // continue after a fault
	Recipe    json.RawMessage `json:"recipe"` // of the training data of a model without a recipe
	Events    bool            `json:"events"` // decide at events
	Start     float64         `json:"start"`

	Window    *float64          `json:"window"`
	Bands     *string           `json:"bands"`
	Order     *int              `json:"order"`
	Combine   *recipe.Combine   `json:"combine"`
	Estimator *recipe.Estimator `json:"estimator"`
	Segment   *float64          `json:"segment"`
	Overlap   *float64          `json:"overlap"`
	Normalize *bool             `json:"normalize"`

	Event  int   `json:"event"`  // mark
	Sample int64 `json:"sample"` // mark
	Label  int   `json:"label"`  // learn
}

// signal returns the changes to the recipe of a model that the request asks for, or nil.
func (q *liveRequest) signal(trained *recipe.Signal) (*recipe.Signal, error) {
	s := recipe.Signal{SignalOptions: recipe.SignalOptions{Combine: optionvalues.CombineStacked}}
	if trained != nil {
		s = *trained
	}
	changed := false
	changed = set(&s.Window, q.Window) || changed
	changed = set(&s.Order, q.Order) || changed
	changed = set(&s.Combine, q.Combine) || changed
	changed = set(&s.Estimator, q.Estimator) || changed
	changed = set(&s.Segment, q.Segment) || changed
	changed = set(&s.Overlap, q.Overlap) || changed
	changed = set(&s.Normalize, q.Normalize) || changed
	if q.Bands != nil {
		var err error
		if s.Bands, err = recipe.ParseBands(*q.Bands); err != nil {
			return nil, rao.Optionf("bands", "{bands}: %w", err)
		}
		changed = true
	}
	if !changed {
		return nil, nil
	}
	return &s, nil
}

// set changes an option that was given, and reports whether it was.
func set[T any](option *T, given *T) bool {
	if given != nil {
		*option = *given
	}
	return given != nil
}

// liveDecoder is the decoder of a worker. A worker has at most one.
type liveDecoder struct {
	*stream.Decoder
	events  *stream.EventDecoder // nil without events
	flat    []string             // names of channels that do not vary
	skipped int                  // number of faults since the last reply
	faults  []string             // and their messages
	found   found
}

// found are decisions, in the form of a reply.
type found struct {
	at, label, event  []int
	p, posterior      []float64
	rejected, outlier []bool
}

// openDecoder starts a decoder of a model for a live signal.
func openDecoder(_ context.Context, s *server, q *Request) (*Reply, error) {
	m, err := s.model(q)
	if err != nil {
		return nil, err
	}
	d, o := &liveDecoder{}, &q.Live
	if o.Recipe != nil {
		r, err := recipe.Parse(o.Recipe)
		if err != nil {
			return nil, err
		}
		if err := recipe.Check(m.Input.Recipe, r); err != nil {
			return nil, err
		}
		if m.Input.Recipe == nil {
			known := *m
			known.Input.Recipe, m = r, &known
		}
	}
	trained := recipes.SignalOf(m.Input.Recipe)
	opt := stream.DecoderOptions{Channels: o.Channels, Rate: o.Rate, Units: o.Units, Reference: o.Reference,
		Step: o.Step}
	opt.Adapt = o.Adapt
	if len(opt.Units) == 1 {
		n := len(o.Channels)
		if trained != nil {
			n = max(n, len(recipes.Inputs(trained)))
		}
		opt.Units = slices.Repeat(opt.Units, max(n, 1))
	}
	if o.Skip {
		opt.Fault = d.fault
	}
	if opt.Signal, err = o.signal(trained); err != nil {
		return nil, err
	}
	if o.Events {
		if d.events, err = stream.NewEventDecoder(m, o.Start, opt); err != nil {
			return nil, err
		}
		d.Decoder = d.events.Decoder
	} else if d.Decoder, err = stream.NewDecoder(m, opt); err != nil {
		return nil, err
	}
	s.live = d
	rate := o.Rate
	if trained != nil {
		rate = cmp.Or(rate, trained.Rate)
	}
	return &Reply{Notes: d.Notes(), Info: map[string]any{"width": d.Width(), "seconds": d.Seconds(), "rate": rate}}, nil
}

// fault records a fault in the signal. It keeps only the message of the first of consecutive bad samples.
func (d *liveDecoder) fault(e *stream.SampleError) {
	d.skipped++
	if !e.Repeated {
		d.faults = append(d.faults, message(e))
	}
}

// add adds a decision.
func (f *found) add(event int, d model.Decision) {
	f.at, f.label, f.event = append(f.at, int(d.At)), append(f.label, d.Label), append(f.event, event)
	f.p = append(f.p, d.Probability)
	for _, v := range d.LogPosterior {
		f.posterior = append(f.posterior, math.Exp(v))
	}
	f.rejected, f.outlier = append(f.rejected, d.Rejected), append(f.outlier, d.Outlier)
}

// reply returns the decisions since the last reply, and the faults and flat channels if there is something new. fault
// ended the decoder, if it is not nil.
func (d *liveDecoder) reply(fault *stream.SampleError) *Reply {
	f, r := d.found, &Reply{Warnings: d.faults}
	d.found, d.faults = found{}, nil
	info := map[string]any{}
	if fault != nil {
		info["fault"], info["accepted"] = message(fault), fault.Accepted
	}
	if d.skipped > 0 {
		info["skipped"], d.skipped = d.skipped, 0
	}
	if flat := d.Flat(); !slices.Equal(flat, d.flat) {
		info["flat"], d.flat = append([]string{}, flat...), flat
	}
	if len(info) > 0 {
		r.Info = info
	}
	if n := len(f.at); n > 0 {
		r.Arrays = []Array{intArray("at", f.at), intArray("label", f.label), intArray("event", f.event),
			float64Array("probability", f.p, n), float64Array("posterior", f.posterior, n, len(f.posterior)/n),
			boolArray("rejected", f.rejected), boolArray("outlier", f.outlier)}
	}
	return r
}

func (s *server) decoder() (*liveDecoder, error) {
	if s.live == nil {
		return nil, errors.New("the worker has no decoder; open one first")
	}
	return s.live, nil
}

// decoderAndSamples returns the decoder and the values of "X".
func (s *server) decoderAndSamples(q *Request) (*liveDecoder, []float64, error) {
	d, err := s.decoder()
	if err != nil {
		return nil, nil, err
	}
	x, err := q.array("X")
	if err != nil {
		return nil, nil, err
	}
	return d, x.doubles(), nil
}

// push passes samples of the signal, "X" (samples × channels), to the decoder. The arrays of the reply are the
// decisions.
func push(ctx context.Context, s *server, q *Request) (*Reply, error) {
	d, x, err := s.decoderAndSamples(q)
	if err != nil {
		return nil, err
	}
	if d.events != nil {
		err = d.events.Push(ctx, x, func(event int, one model.Decision) error {
			d.found.add(event, one)
			return nil
		})
	} else {
		err = d.Push(ctx, x, func(one model.Decision) error {
			d.found.add(0, one)
			return nil
		})
	}
	var fault *stream.SampleError
	if err != nil && !errors.As(err, &fault) {
		return nil, err
	}
	return d.reply(fault), nil
}

// observe decides on the complete observation "X".
func observe(_ context.Context, s *server, q *Request) (*Reply, error) {
	d, x, err := s.decoderAndSamples(q)
	if err != nil {
		return nil, err
	}
	one, err := d.Observe(x)
	if err != nil {
		return nil, err
	}
	d.found.add(0, one)
	return d.reply(nil), nil
}

// mark adds an event at a sample. The field ok of the reply is false if its window is not complete in the signal.
func mark(_ context.Context, s *server, q *Request) (*Reply, error) {
	d, err := s.decoder()
	if err != nil {
		return nil, err
	}
	return &Reply{Info: map[string]any{"ok": d.events.Mark(q.Live.Event, q.Live.Sample)}}, nil
}

// restart marks a break in the signal. The field lost of the reply is the number of events without a decision.
func restart(_ context.Context, s *server, _ *Request) (*Reply, error) {
	d, err := s.decoder()
	if err != nil {
		return nil, err
	}
	lost := 0
	if d.events != nil {
		lost = d.events.Restart(0)
	} else {
		d.Restart(0)
	}
	return &Reply{Info: map[string]any{"lost": lost}}, nil
}

// learn updates the decoder with the true class of the last observation.
func learn(_ context.Context, s *server, q *Request) (*Reply, error) {
	d, err := s.decoder()
	if err != nil {
		return nil, err
	}
	return new(Reply), d.Update(q.Live.Label)
}

// decoderModel returns the model with the updates of the decoder.
func decoderModel(_ context.Context, s *server, _ *Request) (*Reply, error) {
	d, err := s.decoder()
	if err != nil {
		return nil, err
	}
	return s.keep(d.Model(), true)
}
