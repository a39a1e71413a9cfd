package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/eeg"
	"rao/internal/eeg/trialevents"
	"rao/internal/recipes"
	"rao/internal/scoring"
	"rao/internal/text"
	"rao/model"
	"rao/stream"
)

// EventSession decides on the trial after each marker.
type EventSession struct {
	Session
	// Events selects the events that get a decision; nil selects all events.
	Events []eeg.Class
	// Start is the start of a trial in seconds after its event. A trial is as long as a training trial.
	Start float64
	// AtEvent is called for every decision, before it is published, with its event and the duration of the computation.
	// It may be nil.
	AtEvent func(e eeg.Event, d Decision, took time.Duration) error

	Late int // events without a decision, because the marker came too late or the signal was interrupted
	at   *stream.EventDecoder

	measurer *scoring.Measurer // scores the decisions at events that name a class; nil before the first
	measured int               // number of decisions scored
}

// Run makes decisions until the signal ends. Unless logFile is empty, it logs the input to that XDF file.
func (s *EventSession) Run(ctx context.Context, signal Signal, info *Info, logFile string) error {
	err := s.describe(info)
	if err != nil {
		return err
	}
	if s.Skip {
		s.Options.Fault = s.leaveOut
	}
	if s.at, err = stream.NewEventDecoder(s.Model, s.Start, s.Options); err != nil {
		return err
	}
	for _, n := range s.at.Notes() {
		s.note("%s", n)
	}
	if err := s.expect(info, s.at.Width()); err != nil {
		return err
	}
	return Logged(logFile, func(log *Log) error {
		if err := log.Begin(info, "markers"); err != nil {
			return err
		}
		return s.follow(ctx, signal, info.Samples, log)
	})
}

// follow processes the signal until it ends. total is its number of samples, or 0 if it is live.
func (s *EventSession) follow(ctx context.Context, signal Signal, total int, log *Log) error {
	var events []eeg.Event
	var before int64 // number of samples in earlier pieces
	samples := int64(math.Round(s.at.Seconds() * s.signalRate()))
	for {
		s.Progress.Send(rao.Event{Stage: "decide", Done: int(before), Total: total})
		p, err := nextLogged(ctx, signal, log)
		if errors.Is(err, io.EOF) {
			s.note("the signal has ended")
			return nil
		}
		if err != nil {
			return err
		}
		if p.Begins {
			s.gaps++
			s.lost += p.Lost
			s.Late += s.at.Restart(0)
			s.mender.restart()
			s.search.restart()
		}
		for _, e := range p.Events {
			if err := log.Word(int64(e.Sample), MarkerText(e)); err != nil {
				return err
			}
			if s.Events != nil && trialevents.ClassOf(s.Events, e) < 0 {
				continue
			}
			if !s.at.Mark(len(events), int64(e.Sample)) {
				s.Late++
			}
			events = append(events, e)
		}
		start := time.Now()
		values, err := s.guarded(ctx, p.Values)
		if err != nil {
			return err
		}
		err = s.at.Push(ctx, values, func(event int, one model.Decision) error {
			took := time.Since(start)
			d := s.judge(one, samples)
			s.Latency.Add(took)
			if err := s.measure(events[event], d); err != nil {
				return err
			}
			s.Feedback.show(s.Model.Classes, d.Decision, 1)
			if s.AtEvent != nil {
				if err := s.AtEvent(events[event], d, took); err != nil {
					return err
				}
			}
			return s.publish(d, p.Times[d.At-1-before])
		})
		if err != nil {
			return err
		}
		before += int64(len(p.Times))
	}
}

// measure updates the scores if the event of a decision names a class.
func (s *EventSession) measure(e eeg.Event, d Decision) (err error) {
	name := e.Label
	if k := trialevents.ClassOf(s.Events, e); k >= 0 {
		name = s.Events[k].Name
	}
	class := slices.Index(s.Model.Classes, name)
	if class < 0 || d.Rejected {
		return nil
	}
	if s.measurer == nil {
		opt := scoring.MeasureOptions{Seconds: recipes.Seconds(s.Model.Input.Recipe)}
		if s.measurer, err = scoring.NewMeasurer(len(s.Model.Classes), opt); err != nil {
			return err
		}
	}
	s.measured++
	return s.measurer.Add([]int{class}, mat.NewDense(1, len(d.LogPosterior), d.LogPosterior), nil)
}

// Summary returns the line of [Session.Summary], followed by the scores of decisions at events that name a class.
func (s *EventSession) Summary() string {
	line := s.Session.Summary()
	if s.measurer == nil {
		return line
	}
	line += fmt.Sprintf("; %s at events that name a class", text.Plural(s.measured, "decision", "decisions"))
	for _, m := range s.measurer.Measures() {
		if scoring.IsBrief(m.Name) {
			line += fmt.Sprintf(", %s %s", scoring.MeasureTitle(m.Name), scoring.FormatMeasure(m.Name, m.Value))
		}
	}
	return line
}
