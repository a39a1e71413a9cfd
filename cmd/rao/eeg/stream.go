package eeg

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/internal/eeg/live"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/internal/text"
	"rao/model"
	"rao/recipe"
	"rao/stream"
)

func streamCommand(a *app.App) *cobra.Command {
	var s live.Session
	var onError, stopping, feedback, bad, badChannels string
	var samples, realTime bool
	var signal streamFlags
	var online liveFlags
	var atEvents atEventFlags
	cmd := &cobra.Command{
		Use:         "stream [RECORDING]",
		Annotations: map[string]string{app.Live: "true"},
		Short:       "Decide on trials or raw samples as they arrive",
		Long: `Write a decision for each observation as soon as it arrives, and its
computing time. By default a line (csv) or a record (f32, f64, little-endian) of standard
input is one observation. With --samples each line or record is a sample of all channels.
Causal filters run on the signal, and every --step seconds the model decides on the
covariance of the last window. With RECORDING the command replays a file, with --lsl it
reads a Lab Streaming Layer stream, and with --brainflow a BrainFlow board. After a gap,
filters and window start again. --log stores all input; the same model makes the same
decisions on that file.

A model fitted to covariances of rao eeg cov contains these settings, and contradicting
options are errors. Other models need --rate and --window.`,
		Example: `  producer | rao eeg stream --model model.rao --json
  rao eeg stream session.gdf --model eeg.rao --step 0.5 --real-time
  rao eeg stream --model eeg.rao --lsl "type='EEG'" --log today.xdf
  producer | rao eeg stream --model m.rao --samples --rate 250 --window 2`,
		Args: upToOneRecording,
	}
	path := app.ModelFlag(cmd)
	f := cmd.Flags()
	app.TextVar(f, &s.Format, "input-format", "csv|f32|f64", "csv", "form of the input, see above")
	app.TextVar(f, &onError, "on-error", "stop|skip", "stop",
		"at an invalid line, record or sample: stop, or skip and count it; with --lsl and --brainflow, skip")
	app.TextVar(f, (*string)(&s.Options.Adapt), "adapt", "causal", "",
		"causal: adapt as the data arrive, for a model that adapts to complete recordings")
	f.BoolVar(&samples, "samples", false, "the input is samples of all channels, not observations")
	f.BoolVar(&realTime, "real-time", false, "replay the recording in real time, not as fast as possible")
	app.NumberFlag(f, &s.Options.Step, "step", 0, 0, 1e6, "seconds between decisions; 0 uses the length of the "+
		"window")
	app.NumberFlag(f, &s.Artifacts, "artifacts", 0, 0, 3600, "reject artifacts"+artifactsHelp)
	app.TextVar(f, &bad, "bad", "interpolate|keep", "interpolate",
		"bad, flat, loud or invalid channels: interpolate, or keep")
	app.TextVar(f, &badChannels, "bad-channels", "NAME,...", "", "more channels that are bad")
	app.TextVar(f, &stopping, "stopping", "FILE", "",
		"rule of rao eeg stopping")
	app.TextVar(f, &feedback, "feedback", "ADDR", "",
		"address of a page for the participant, such as 127.0.0.1:8090; the page is at /feedback")
	signal.register(cmd)
	online.add(cmd)
	atEvents.add(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		recording := strings.Join(args, "") // there is at most one
		if err := app.Required("model", *path); err != nil {
			return err
		}
		if !cmd.Flags().Changed("on-error") && online.given() {
			onError = "skip" // a live session must not end because of one error
		}
		s.Keep, s.Bad = bad == "keep", text.SplitList(badChannels)
		if s.Keep && s.Bad != nil {
			return app.Usagef("--bad-channels lists channels to interpolate: leave out --bad keep")
		}
		if err := online.check(recording != "" || samples); err != nil {
			return err
		}
		if err := atEvents.check(f, &online, recording); err != nil {
			return err
		}
		noSignal := recording == "" && !samples && !online.given()
		if noSignal && stopping != "" {
			return app.Usagef("--stopping accumulates windows of a signal: give a recording, --lsl, --brainflow or " +
				"--samples")
		}
		if *path == "-" && recording == "" && !online.given() {
			return app.Usagef("--model - reads the model from standard input, so no input is left for the signal; " +
				"give a recording, or the model as a file")
		}
		if noSignal && (signal.given() || f.Changed("window") || f.Changed("rate")) {
			return app.Usagef("--rate, --window, --bands and similar options describe how samples become matrices: " +
				"give --samples or a recording too")
		}
		if recording != "" && !realTime {
			show, done := a.Progress("rao eeg stream")
			s.Progress = show
			defer done()
		}
		m, err := a.LoadModel(cmd.Context(), *path)
		if err != nil {
			return err
		}
		if s.Stopping, err = readStopping(stopping, m); err != nil {
			return err
		}
		out := decisionWriter{json: a.JSON, out: bufio.NewWriter(a.Out), model: m}
		s.Model, s.Note, s.Write, s.Skip = m, a.Note, out.write, onError == "skip"
		s.Options.Rate, s.Unit = signal.rate, signal.unit
		if s.Options.Signal, err = signal.options(m); err != nil {
			return err
		}
		ctx := cmd.Context()
		if feedback != "" {
			s.Feedback = live.NewFeedback()
			addr, stop, err := s.Feedback.Serve(ctx, feedback)
			if err != nil {
				return app.Usagef("--feedback: %v", err)
			}
			defer stop()
			a.Note("the participant's page is http://%v/feedback", addr)
		}
		switch {
		case atEvents.events != "":
			return atEvents.run(ctx, a, &online, s, recording)
		case online.given():
			err = online.run(ctx, a, &s)
		case recording != "":
			err = s.Replay(ctx, recording, realTime)
		case samples:
			err = s.Samples(ctx, app.Interruptible(ctx, a.In))
		default:
			err = s.Observations(ctx, app.Interruptible(ctx, a.In))
		}
		if err == nil || errors.Is(err, context.Canceled) {
			a.Note("%s", s.Summary())
		}
		if fault := (*stream.SampleError)(nil); errors.As(err, &fault) && !s.Skip {
			return fmt.Errorf("%w; --on-error skip leaves out such samples and continues", err)
		}
		return app.AsUsage(err)
	}
	return cmd
}

// artifactsHelp is the last part of the help of --artifacts.
const artifactsHelp = ": number of seconds at the start from which to learn what a clean signal looks like, such as 30"

// streamFlags describe properties of the signal that neither the signal nor the model records.
type streamFlags struct {
	signalFlags
	rate, window float64
	unit         string // unit of channels whose unit is unknown
}

func (g *streamFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	app.NumberFlag(f, &g.rate, "rate", 0, 0, 1e9, "samples per second; by default the model's")
	addUnit(f, &g.unit)
	app.NumberFlag(f, &g.window, "window", 0, 0, 1e6, "seconds of signal for a decision; by default the model's")
	app.InGroup(f, titleSignal, func(f *pflag.FlagSet) { g.add(f, "; by default the model's") })
	g.flags = f // these also contain --window
}

// options returns the changes to the model's recipe that the flags ask for. It returns nil if none of the flags was
// given.
func (g *streamFlags) options(m *model.Model) (*recipe.Signal, error) {
	if !g.given() && !g.flags.Changed("window") {
		return nil, nil
	}
	s := recipe.Signal{SignalOptions: recipe.SignalOptions{Combine: optionvalues.CombineStacked}}
	if r := recipes.SignalOf(m.Input.Recipe); r != nil {
		s = *r
	}
	if g.flags.Changed("window") {
		s.Window = g.window
	}
	return &s, g.overlay(&s.SignalOptions)
}

// decisionWriter prints each decision as a line of text or JSON.
type decisionWriter struct {
	json  bool
	out   *bufio.Writer
	model *model.Model
	names []string // names of the classes, escaped for a terminal
	text  []byte
}

// write prints a decision. It does not allocate memory, so the garbage collector does not interrupt a running decoder.
func (w *decisionWriter) write(d live.Decision, took time.Duration) error {
	r := d.Record(w.model.Classes, took)
	if w.json {
		w.text = append(r.AppendFields(append(w.text[:0], '{')), '}')
	} else {
		if w.names == nil {
			for _, name := range w.model.Classes {
				w.names = append(w.names, text.Visible(name))
			}
		}
		r.Label = w.names[d.Label]
		w.text = r.AppendText(w.text[:0])
	}
	w.out.Write(append(w.text, '\n'))
	return w.out.Flush()
}
