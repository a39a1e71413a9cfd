package eeg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/eeg/live"
	"rao/internal/text"
	"rao/lsl"
	"rao/model"
)

// liveFlags say where stream takes a live signal from, and where its decisions go.
type liveFlags struct {
	lsl, publish, log string
	network           networkFlags
	brainflow         brainflowFlags
}

func (l *liveFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	app.TextVar(f, &l.lsl, "lsl", "QUERY", "",
		"decide on the stream of Lab Streaming Layer that this chooses: name, type, "+
			"source_id and the like compared, such as type='EEG' and name='amp'")
	app.TextVar(f, &l.publish, "publish", "NAME", "",
		"offer the decisions as a stream of this name: label, probability and state")
	app.OutputFlag(cmd, &l.log, "log", app.LogOutput,
		"XDF file to write what came and what was decided, for --recording")
	l.network.add(cmd, 10)
	l.network.addLost(cmd)
	l.brainflow.add(cmd)
}

// given reports whether a live signal was asked for.
func (l *liveFlags) given() bool { return l.lsl != "" || l.brainflow.addr != "" }

// check returns an error when the flags contradict each other.
func (l *liveFlags) check(others bool) error {
	switch {
	case l.lsl != "" && l.brainflow.addr != "":
		return app.Usagef("--lsl and --brainflow are two signals; give one")
	case l.given() && others:
		return app.Usagef("--lsl and --brainflow take the signal from the network: leave out --recording and --samples")
	case !l.given() && (l.publish != "" || l.log != ""):
		return app.Usagef("--publish and --log go with --lsl or --brainflow")
	}
	return nil
}

// live decides on a signal as it is taken.
func (s *streamer) live(ctx context.Context, l *liveFlags) error {
	signal, info, err := s.openLive(ctx, l)
	if err != nil {
		return err
	}
	defer signal.Close()
	if s.opt.Rate != 0 && s.opt.Rate != info.Rate {
		return app.Usagef("--rate %g: the stream %q has %g samples a second", s.opt.Rate, info.Name, info.Rate)
	}
	s.opt.Rate, s.opt.Channels, s.opt.Reference = info.Rate, info.Channels, info.Reference
	s.opt.Units = s.units(info.Units, info.Width)
	if err := s.open(); err != nil {
		return err
	}
	if s.decoder.Width() == 0 {
		return s.decoder.Push(ctx, nil, nil) // says what is missing
	}
	if s.decoder.Width() != info.Width {
		return fmt.Errorf("the stream %q does not name its %d channels, and the model takes %d", info.Name, info.Width,
			s.decoder.Width())
	}
	s.tellBad(info.Bad)
	if l.publish != "" {
		if s.outlet, err = s.offer(l); err != nil {
			return err
		}
		defer s.outlet.Close()
	}
	s.app.Note("%s: %s, %g samples a second", info.Name, text.Plural(info.Width, "channel", "channels"), info.Rate)
	s.app.Patient.Store(l.log != "") // the log is closed first
	return live.Logged(l.log, func(log *live.Log) error {
		if err := log.Begin(info, "decisions"); err != nil {
			return err
		}
		return s.follow(ctx, signal, log)
	})
}

func (s *streamer) openLive(ctx context.Context, l *liveFlags) (live.Signal, *live.Info, error) {
	if l.lsl != "" {
		return openLSL(ctx, s.app, &l.network, l.lsl)
	}
	rate := s.opt.Rate
	if r := s.model.Input.Recipe; rate == 0 && r != nil && r.Signal != nil && !r.Signal.Resampled {
		rate = r.Signal.Rate
	}
	return l.brainflow.open(rate)
}

// offer makes the stream of decisions.
func (s *streamer) offer(l *liveFlags) (*lsl.Outlet, error) {
	return lsl.NewOutlet(lsl.Info{Name: l.publish, Type: "Markers", ChannelCount: 3, Format: lsl.Text,
		SourceID: "rao-stream-" + l.publish,
		Channels: []lsl.Channel{{Label: "label"}, {Label: "probability"}, {Label: "state"}}},
		lsl.OutletOptions{Local: l.network.local})
}

// follow decides on what comes until the signal ends.
func (s *streamer) follow(ctx context.Context, signal live.Signal, log *live.Log) error {
	var before int64 // samples of the pieces before
	var p live.Piece
	s.decided = func(d model.Decision) error {
		if err := log.Word(d.At-1, s.model.Classes[d.Label]); err != nil || s.outlet == nil {
			return err
		}
		return s.outlet.PushText([]string{s.model.Classes[d.Label],
			strconv.FormatFloat(d.Probability, 'g', 6, 64), state(d)}, p.Times[d.At-1-before])
	}
	for {
		var err error
		if p, err = signal.Next(ctx); err != nil {
			if errors.Is(err, io.EOF) {
				s.app.Note("the stream has ended")
				return nil
			}
			return err
		}
		if p.Begins {
			s.gaps++
			s.lost += p.Lost
			s.decoder.Restart()
			s.app.Note("the signal begins anew after %s; the next decision is a window away",
				text.Plural(int(p.Lost), "lost sample", "lost samples"))
		}
		if err := log.Samples(p); err != nil {
			return err
		}
		if err := s.push(ctx, p.Values); err != nil {
			return err
		}
		before += int64(len(p.Times))
	}
}

// state says whether a decision is to be trusted.
func state(d model.Decision) string {
	switch {
	case d.Outlier:
		return "outlier"
	case d.Rejected:
		return "rejected"
	}
	return "decided"
}
