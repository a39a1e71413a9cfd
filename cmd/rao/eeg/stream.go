package eeg

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/text"
	"rao/internal/units"
	"rao/lsl"
	"rao/model"
	"rao/recipe"
	"rao/stream"
)

func streamCommand(a *app.App) *cobra.Command {
	var s streamer
	var recording, speed string
	var samples bool
	var signal streamFlags
	var live liveFlags
	cmd := &cobra.Command{
		Use:   "stream",
		Short: "Decide on trials or raw samples as they come",
		Long: `Read observations on standard input as they come and write a decision for each as soon
as it is there, with the time it took. By default a line (csv) or a record (f32, f64,
little-endian) is one observation: a vector, or a matrix row by row. With --samples it
is one sample of all channels; causal filters run on the stream, and every --step
seconds the covariance of the last window is decided on. --recording replays a file in
place of standard input, at real speed or as fast as it goes. --lsl takes a stream of Lab
Streaming Layer, and --brainflow what a BrainFlow board sends to a multicast group. After
a gap filters and window start anew. --publish offers the decisions as a stream, stamped
by the last sample of their window, and --log keeps all that came: the same model decides
the same on that file, bit for bit.

A model fitted to covariances of rao eeg cov knows its channels, rate, bands, window and
estimator: channels of a recording are found by name, and an option that contradicts the
training is refused. Other models need --rate, --window and what else made their
matrices. A model with --adapt causal or bias follows the stream as it follows a file.
center, smooth and balanced look at a whole recording first, which a stream cannot: such
a model is refused, unless --adapt causal lets its mean follow from that of the training.

The last line on standard error gives the number of decisions and their latency.`,
		Example: `  producer | rao eeg stream --model model.rao --json
  rao eeg stream --model eeg.rao --recording session.gdf --step 0.5 --speed real
  producer | rao eeg stream --model eeg.rao --samples --step 0.25
  rao eeg stream --model eeg.rao --lsl "type='EEG'" --step 0.25 --publish decisions --log today.xdf
  producer | rao eeg stream --model other.rao --samples --rate 250 --window 2 --bands 8-30`,
		Args: app.NoArgs,
	}
	path := app.ModelFlag(cmd)
	f := cmd.Flags()
	app.TextVar(f, &s.format, "format", "csv|f32|f64", "csv", "form of the input: csv, f32 or f64")
	app.TextVar(f, &s.onError, "on-error", "stop|skip", "stop",
		"what to do with a line, record or sample that cannot be used: stop, or skip, report and count it")
	app.TextVar(f, &s.opt.Adapt, "adapt", "causal", "",
		"causal: follow the stream where the model adapts to whole recordings")
	f.BoolVar(&samples, "samples", false, "the input is samples of channels, not whole observations")
	app.TextVar(f, &recording, "recording", "FILE", "", "file to replay: any that rao eeg cov reads")
	app.TextVar(f, &speed, "speed", "real|max", "max", "replay at real speed or as fast as it goes: real, max")
	app.NumberFlag(f, &s.opt.Step, "step", 0, 0, 1e6, "seconds between decisions; 0 takes the window")
	signal.register(cmd)
	live.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("model", *path); err != nil {
			return err
		}
		if speed != "real" && speed != "max" {
			return app.Usagef("--speed takes real or max, not %q", speed)
		}
		if s.onError != "stop" && s.onError != "skip" {
			return app.Usagef("--on-error takes stop or skip, not %q", s.onError)
		}
		if err := live.check(recording != "" || samples); err != nil {
			return err
		}
		m, err := a.LoadModel(cmd.Context(), *path)
		if err != nil {
			return err
		}
		s.app, s.out, s.model = a, bufio.NewWriter(a.Out), m
		s.opt.Rate, s.unit = signal.rate, signal.unit
		if s.opt.Stream, err = signal.options(m); err != nil {
			return err
		}
		ctx := cmd.Context()
		switch {
		case live.given():
			err = s.live(ctx, &live)
		case a.InputRead && recording == "":
			return app.Usagef("--model - leaves no standard input to decide on; give --recording, or the model as a " +
				"file")
		case recording != "":
			err = s.replay(ctx, recording, speed == "real")
		case samples:
			err = s.samples(ctx, app.Interruptible(ctx, a.In))
		case s.opt.Stream != nil || s.opt.Rate != 0:
			return app.Usagef("--rate, --window, --bands and the like say how samples become matrices: give " +
				"--samples or " +
				"--recording too")
		default:
			err = s.observations(ctx, app.Interruptible(ctx, a.In))
		}
		if ferr := s.out.Flush(); err == nil {
			err = ferr
		}
		if err == nil || errors.Is(err, context.Canceled) {
			s.summary()
		}
		return err
	}
	return cmd
}

// streamFlags say what comes, where neither the signal nor the model says it.
type streamFlags struct {
	signalFlags
	rate, window float64
	unit         string // of channels whose unit is not known
}

func (g *streamFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	app.NumberFlag(f, &g.rate, "rate", 0, 0, 1e9, "samples per second; by default the model's")
	app.TextVar(f, &g.unit, "unit", "UNIT", "", "unit of channels whose unit is not known, such as uV")
	app.NumberFlag(f, &g.window, "window", 0, 0, 1e6, "seconds of signal behind a decision; by default the model's")
	g.add(f, "; by default as the model")
}

// options returns what the flags that were given change in the recipe of the model, nil if none was given.
func (g *streamFlags) options(m *model.Model) (*stream.Options, error) {
	if !g.given() && !g.flags.Changed("window") {
		return nil, nil
	}
	o := stream.Options{SignalOptions: recipe.SignalOptions{Combine: recipe.Stacked}}
	if r := m.Input.Recipe; r != nil && r.Signal != nil {
		var err error
		if o, err = stream.OptionsOf(r); err != nil {
			return nil, err
		}
	}
	if g.flags.Changed("window") {
		o.Window = g.window
	}
	return &o, g.overlay(&o.SignalOptions)
}

// streamer turns input into decisions.
type streamer struct {
	app     *app.App
	model   *model.Model
	opt     stream.DecoderOptions
	decoder *stream.Decoder
	out     *bufio.Writer
	latency latencies
	names   []string // of the classes, as a terminal takes them
	text    []byte
	format  string
	onError string
	unit    string   // of channels whose unit is not known
	left    int      // records left out
	skipped func()   // hears of records that cannot be read; nil for nobody
	flat    []string // channels that do not vary

	decided func(model.Decision) error // hears every decision of a live signal
	outlet  *lsl.Outlet                // of the decisions, nil for none
	gaps    int                        // after which a live signal began anew
	lost    int64                      // samples of it
}

// open makes the decoder, and tells what is to be known of it.
func (s *streamer) open() (err error) {
	if s.onError == "skip" {
		s.opt.Fault = s.leaveOut
	}
	if s.decoder, err = stream.NewDecoder(s.model, s.opt); err != nil {
		return err
	}
	for _, n := range s.decoder.Notes() {
		s.app.Note("%s", n)
	}
	return nil
}

// units are those of the channels that come: as given, or what --unit says.
func (s *streamer) units(given []string, width int) []string {
	if s.unit == "" {
		return given
	}
	out := make([]string, width)
	copy(out, given)
	for c := range out {
		if units.Parse(out[c]) == "" {
			out[c] = s.unit
		}
	}
	return out
}

// observations reads whole observations.
func (s *streamer) observations(ctx context.Context, in io.Reader) error {
	if err := s.open(); err != nil {
		return err
	}
	width := s.model.Input.Dim
	if s.model.Input.Kind == model.KindMatrices {
		width *= width
	}
	return s.read(ctx, in, width, func(record int, x []float64) error {
		start := time.Now()
		d, err := s.decoder.Observe(x)
		if err != nil {
			return &recordError{err}
		}
		d.At = int64(record)
		return s.write(d, start)
	})
}

// read calls f for every record of standard input.
func (s *streamer) read(ctx context.Context, in io.Reader, width int, f func(record int, x []float64) error) error {
	r, err := newRecords(in, s.format, width)
	if err != nil {
		return err
	}
	r.skip, r.note, r.skipped = s.onError == "skip", s.app.Note, s.skipped
	err = r.each(ctx, f)
	s.left += r.left
	return err
}

// samples reads samples of channels and decides on sliding windows.
func (s *streamer) samples(ctx context.Context, in io.Reader) error {
	if r := s.model.Input.Recipe; r != nil && r.Signal != nil {
		s.opt.Units = s.units(nil, len(r.Signal.Inputs()))
	}
	if err := s.open(); err != nil {
		return err
	}
	if s.decoder.Width() == 0 {
		return s.decoder.Push(ctx, nil, nil) // says what is missing
	}
	s.skipped = s.decoder.Skip // what cannot be read is missing in the signal
	return s.read(ctx, in, s.decoder.Width(), func(record int, x []float64) error {
		if err := s.push(ctx, x); err != nil {
			return fmt.Errorf("sample %d: %w", record, err)
		}
		return nil
	})
}

// replayBlock is the length in seconds of the pieces a recording is replayed in.
const replayBlock = 0.02

// replay feeds a recording to the decoder.
func (s *streamer) replay(ctx context.Context, path string, real bool) error {
	rec, err := s.recording(path)
	if err != nil {
		return err
	}
	defer rec.Close()
	s.opt.Rate, s.opt.Channels, s.opt.Reference = rec.Rate, rec.Channels, rec.Reference
	s.opt.Units = s.units(rec.Units, len(rec.Channels))
	if r := s.model.Input.Recipe; rec.AverageDue && (r == nil || r.Signal == nil || len(r.Signal.Subtracted) == 0) {
		s.app.Note("%s asks for the average reference, which its samples do not have and the training did not "+
			"subtract: they are taken as they are", path)
	}
	if err := s.open(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if s.decoder.Width() == 0 {
		return s.decoder.Push(ctx, nil, nil) // says what is missing
	}
	s.tellBad(rec.Bad)
	channels := len(rec.Channels)
	block := max(1, int(replayBlock*rec.Rate))
	buf := make([]float64, block*channels)
	begin := time.Now()
	breaks := rec.Breaks
	for at, n := 0, 0; at < rec.Samples(); at += n {
		if err := ctx.Err(); err != nil {
			return err
		}
		n = min(block, rec.Samples()-at)
		for len(breaks) > 0 && breaks[0] <= at {
			s.decoder.Restart()
			breaks = breaks[1:]
		}
		if len(breaks) > 0 {
			n = min(n, breaks[0]-at)
		}
		if err := rec.Read(buf[:n*channels], at, n); err != nil {
			return err
		}
		if real {
			due := begin.Add(time.Duration(float64(at+n) / rec.Rate * float64(time.Second)))
			time.Sleep(time.Until(due))
		}
		if err := s.push(ctx, buf[:n*channels]); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// recording opens a file. An npy file, which holds neither, takes its rate and the names
// of its channels from the model.
func (s *streamer) recording(path string) (*eeg.Recording, error) {
	opt := eeg.RecordingOptions{Rate: s.opt.Rate, AsStored: true} // the decoder knows the model's unit
	r := s.model.Input.Recipe
	if r != nil && r.Signal != nil {
		opt.Kinds = []string{eeg.AllKinds} // it picks the channels
	}
	if r != nil && r.Signal != nil && strings.EqualFold(filepath.Ext(path), ".npy") {
		if opt.Channels = r.Signal.Inputs(); opt.Rate == 0 && !r.Signal.Resampled {
			opt.Rate = r.Signal.Rate
		}
	}
	return eeg.OpenRecording(path, opt)
}

// write writes a decision with the time since start. It does not allocate: a running decoder must not
// wait for the collector.
func (s *streamer) write(d model.Decision, start time.Time) error {
	took := time.Since(start)
	s.latency.add(took)
	r := stream.Record{At: d.At, Label: s.model.Classes[d.Label], Probability: d.Probability, Rejected: d.Rejected,
		Outlier: d.Outlier, LatencyMs: float64(took.Nanoseconds()) / 1e6}
	if s.app.JSON {
		s.text = append(r.AppendFields(append(s.text[:0], '{')), '}')
	} else {
		if s.names == nil {
			for _, name := range s.model.Classes {
				s.names = append(s.names, text.Visible(name))
			}
		}
		r.Label = s.names[d.Label]
		s.text = r.AppendText(s.text[:0])
	}
	s.out.Write(append(s.text, '\n'))
	return s.out.Flush()
}

func (s *streamer) summary() {
	left := ""
	if s.left > 0 {
		left = fmt.Sprintf("; %d left out that could not be read or decided on", s.left)
	}
	if s.gaps > 0 {
		left += fmt.Sprintf("; %s, %s lost", text.Plural(s.gaps, "gap", "gaps"), text.Plural(int(s.lost), "sample",
			"samples"))
	}
	l := &s.latency
	if l.n == 0 {
		s.app.Note("no decisions: the input ended before the first%s", left)
		return
	}
	s.app.Note("%s; latency median %.3f ms, 99 %% %.3f ms, largest %.3f ms%s",
		text.Plural(int(l.n), "decision", "decisions"), l.quantile(0.5), l.quantile(0.99), float64(l.max)/1e6, left)
}
