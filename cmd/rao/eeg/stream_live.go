package eeg

import (
	"context"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/eeg/live"
	"rao/internal/lsl"
	"rao/internal/recipes"
)

// liveFlags select the source of a live signal and the destinations of the decisions.
type liveFlags struct {
	lsl, publish, log string
	network           networkFlags
	brainflow         brainflowFlags
}

func (l *liveFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	app.TextVar(f, &l.lsl, "lsl", "QUERY", "",
		"the stream of the signal, such as type='EEG'")
	app.TextVar(f, &l.publish, "publish", "NAME", "",
		"name of a stream on which to publish the decisions")
	app.OutputFlag(cmd, &l.log, "log", app.LogOutput,
		"XDF file for input and decisions")
	l.network.add(cmd, 10)
	l.network.addLost(cmd)
	l.brainflow.add(cmd)
}

// given reports whether a live signal was requested.
func (l *liveFlags) given() bool { return l.lsl != "" || l.brainflow.addr != "" }

// check returns a usage error if the flags contradict each other.
func (l *liveFlags) check(others bool) error {
	switch {
	case l.lsl != "" && l.brainflow.addr != "":
		return app.Usagef("give either --lsl or --brainflow, not both")
	case l.given() && others:
		return app.Usagef("--lsl and --brainflow read the signal from the network: leave out the " +
			"recording and --samples")
	case !l.given() && (l.publish != "" || l.log != ""):
		return app.Usagef("--publish and --log need --lsl or --brainflow")
	}
	return nil
}

// run makes decisions on a live signal.
func (l *liveFlags) run(ctx context.Context, a *app.App, s *live.Session) error {
	signal, info, err := l.open(ctx, a, s)
	if err != nil {
		return err
	}
	defer signal.Close()
	return l.published(a, s, func() error { return s.Run(ctx, signal, info, l.log) })
}

// published runs a session with the outlet on which it publishes its decisions, if requested.
func (l *liveFlags) published(a *app.App, s *live.Session, run func() error) (err error) {
	if l.publish != "" {
		if s.Outlet, err = l.offer(); err != nil {
			return err
		}
		defer s.Outlet.Close()
	}
	a.Patient.Store(l.log != "") // after a signal, wait until the log is closed
	return run()
}

func (l *liveFlags) open(ctx context.Context, a *app.App, s *live.Session) (live.Signal, *live.Info, error) {
	if l.lsl != "" {
		return openLSL(ctx, a, &l.network, l.lsl)
	}
	rate := s.Options.Rate
	if r := recipes.SignalOf(s.Model.Input.Recipe); rate == 0 && r != nil && !r.Resampled {
		rate = r.Rate
	}
	return l.brainflow.open(rate)
}

// offer creates the LSL stream on which decisions are published.
func (l *liveFlags) offer() (*lsl.Outlet, error) {
	return lsl.NewOutlet(lsl.Info{Name: l.publish, Type: "Markers", ChannelCount: 3, Format: lsl.Text,
		SourceID: "rao-stream-" + l.publish,
		Channels: []lsl.Channel{{Label: "label"}, {Label: "probability"}, {Label: "state"}}},
		lsl.OutletOptions{Local: l.network.local})
}
