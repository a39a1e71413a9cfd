package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"rao"
	"rao/eeg"
	"rao/internal/text"
	"rao/model"
	"rao/stream"
)

// EventSession decides at events: on the trial behind each marker of a signal.
type EventSession struct {
	Session
	// Events selects the events to decide on; nil: all.
	Events []eeg.Class
	// Start is the start of a trial, in seconds after its event. Its length is that of the training trials.
	Start float64
	// AtEvent is called first for every decision, with its event and the time that it needed.
	AtEvent func(e eeg.Event, d Decision, took time.Duration) error

	Late int // events without a decision: their markers came too late, or the signal broke off
	at   *stream.EventDecoder
}

// Run decides until the signal ends, and logs its input to an XDF file; an empty name means no log.
func (s *EventSession) Run(ctx context.Context, signal MarkedSignal, info *Info, logFile string) error {
	if s.Options.Rate != 0 && s.Options.Rate != info.Rate {
		return rao.Optionf("rate", "{rate=%g}: the stream %q has %g samples per second", s.Options.Rate, info.Name,
			info.Rate)
	}
	s.Options.Rate, s.Options.Channels, s.Options.Reference = info.Rate, info.Channels, info.Reference
	s.Options.Units = s.units(info.Units, info.Width)
	if s.Skip {
		s.Options.Fault = s.leaveOut
	}
	var err error
	if s.at, err = stream.NewEventDecoder(s.Model, s.Start, s.Options); err != nil {
		return err
	}
	for _, n := range s.at.Notes() {
		s.note("%s", n)
	}
	if s.at.Width() != info.Width {
		return fmt.Errorf("the stream %q does not name its %d channels, and the model has %d", info.Name, info.Width,
			s.at.Width())
	}
	if err := s.guard(info, nil); err != nil {
		return err
	}
	s.note("%s: %s, %g samples per second", info.Name, text.Plural(info.Width, "channel", "channels"), info.Rate)
	return Logged(logFile, func(log *Log) error {
		if err := log.Begin(info, "markers"); err != nil {
			return err
		}
		return s.follow(ctx, signal, log)
	})
}

// follow decides on what comes until the signal ends.
func (s *EventSession) follow(ctx context.Context, signal MarkedSignal, log *Log) error {
	var events []eeg.Event
	var before int64 // samples of the pieces before
	samples := int64(math.Round(s.at.Seconds() * s.signalRate()))
	for {
		p, err := signal.NextMarked(ctx)
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
			s.Late += s.at.Restart()
			s.mender.restart()
			s.search.restart()
		}
		if err := log.Samples(p.Piece); err != nil {
			return err
		}
		slices.SortStableFunc(p.Events, func(a, b eeg.Event) int { return cmp.Compare(a.Sample, b.Sample) })
		for _, e := range p.Events {
			if err := log.Word(int64(e.Sample), markerText(e)); err != nil {
				return err
			}
			if s.Events != nil && !slices.ContainsFunc(s.Events, func(c eeg.Class) bool { return c.Matches(e) }) {
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
			s.Feedback.show(s.Model.Classes, d.Decision, 1)
			if s.AtEvent != nil {
				if err := s.AtEvent(events[event], d, took); err != nil {
					return err
				}
			}
			if s.Outlet == nil {
				return nil
			}
			return s.Outlet.PushText([]string{s.Model.Classes[d.Label],
				strconv.FormatFloat(d.Probability, 'g', 6, 64), state(d)}, p.Times[d.At-1-before])
		})
		if err != nil {
			return err
		}
		before += int64(len(p.Times))
	}
}
