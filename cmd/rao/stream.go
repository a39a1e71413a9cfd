package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rao/eeg"
	"rao/model"
	"rao/spd"
)

func streamCommand(a *app) *cobra.Command {
	var s streamer
	var recording, speed, bands, combine, estimator string
	var samples bool
	var rate float64
	cmd := &cobra.Command{
		Use:   "stream",
		Short: "Decide on trials or raw samples as they come",
		Long: `Read observations on standard input as they come and write a decision for each as soon
as it is there, with the time it took. By default a line (csv) or a record (f32, f64,
little-endian) is one observation: a vector, or a matrix row by row. With --samples it
is one sample of all channels; filters run on the stream, and every --step seconds the
covariance of the last --window seconds is decided on. --recording replays a file in
place of standard input, at real speed or as fast as it goes.

The last line on standard error gives the number of decisions and their latency.`,
		Example: `  producer | rao stream --model model.rao --json
  producer | rao stream --model eeg.rao --samples --rate 250 --window 2 --step 0.25 --bands 8-30
  rao stream --model eeg.rao --recording session.gdf --window 2 --step 0.5 --bands 8-30 --speed real`,
		Args: noArgs,
	}
	path := modelFlag(cmd)
	f := cmd.Flags()
	f.StringVar(&s.format, "format", "csv", "form of the input: csv, f32 or f64")
	f.StringVar(&s.onError, "on-error", "stop", "what a line or record that cannot be read does: stop, or skip and be counted")
	f.BoolVar(&samples, "samples", false, "the input is samples of channels, not whole observations")
	f.Float64Var(&rate, "rate", 0, "samples a second, for --samples and for npy recordings")
	f.Float64Var(&s.opt.Window, "window", 0, "seconds of signal behind a decision")
	f.Float64Var(&s.opt.Step, "step", 0, "seconds between decisions; 0 takes the window")
	f.StringVar(&bands, "bands", "", "pass bands in hertz, as in rao cov eeg")
	f.IntVar(&s.opt.Order, "order", 0, "order of the Butterworth filter; 0 takes 5")
	f.StringVar(&combine, "combine", "stacked", "several bands: stacked or block-diagonal")
	f.StringVar(&estimator, "estimator", "sample", "covariance: sample, oas, ledoit-wolf")
	f.BoolVar(&s.opt.Covariance.TraceNormalise, "normalise", false, "divide each matrix by its mean diagonal element")
	f.StringVar(&recording, "recording", "", "file to replay: EDF, GDF, BrainVision or npy")
	f.StringVar(&speed, "speed", "max", "replay at real speed or as fast as it goes: real, max")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := required("model", *path); err != nil {
			return err
		}
		if speed != "real" && speed != "max" {
			return usagef("--speed takes real or max, not %q", speed)
		}
		if s.onError != "stop" && s.onError != "skip" {
			return usagef("--on-error takes stop or skip, not %q", s.onError)
		}
		if err := s.parse(bands, combine, estimator); err != nil {
			return err
		}
		m, err := loadModel(*path)
		if err != nil {
			return err
		}
		s.app, s.out = a, bufio.NewWriter(a.out)
		if s.decide, err = newDecide(m); err != nil {
			return err
		}
		s.model = m
		switch {
		case recording != "":
			err = s.replay(cmd.Context(), recording, rate, speed == "real")
		case samples:
			err = s.samples(cmd.Context(), interruptible(cmd.Context(), a.in), rate)
		default:
			err = s.observations(cmd.Context(), interruptible(cmd.Context(), a.in))
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

// streamer turns input into decisions.
type streamer struct {
	app     *app
	model   *model.Model
	decide  decide
	opt     eeg.StreamOptions
	out     *bufio.Writer
	latency latencies
	names   []string // of the classes, as a terminal takes them
	text    []byte
	format  string
	onError string
	left    int // records left out
}

func (s *streamer) parse(bands, combine, estimator string) (err error) {
	if bands != "" {
		if s.opt.Bands, err = eeg.ParseBands(bands); err != nil {
			return err
		}
	}
	if s.opt.Combine, err = eeg.ParseCombine(combine); err != nil {
		return err
	}
	s.opt.Covariance.Estimator, err = spd.ParseEstimator(estimator)
	return err
}

// observations reads whole observations.
func (s *streamer) observations(ctx context.Context, in io.Reader) error {
	width := s.model.Input.Dim
	if s.model.Input.Kind == model.KindMatrices {
		width *= width
	}
	return s.read(ctx, in, width, func(record int, x []float64) error {
		return s.one(int64(record), x, time.Now())
	})
}

// read calls f for every record of standard input.
func (s *streamer) read(ctx context.Context, in io.Reader, width int, f func(record int, x []float64) error) error {
	r, err := newRecords(in, s.format, width)
	if err != nil {
		return err
	}
	r.skip, r.note = s.onError == "skip", s.app.note
	err = r.each(ctx, f)
	s.left = r.left
	return err
}

// samples reads samples of channels and decides on sliding windows.
func (s *streamer) samples(ctx context.Context, in io.Reader, rate float64) error {
	if !(rate > 0) {
		return usagef("--samples needs --rate, the samples a second")
	}
	channels := s.channels()
	stream, err := eeg.NewStream(channels, rate, s.opt)
	if err != nil {
		return err
	}
	if err := s.fits(stream); err != nil {
		return err
	}
	return s.read(ctx, in, channels, func(record int, x []float64) error {
		start := time.Now()
		err := stream.Push(x, func(cov []float64, end int64) error { return s.one(end, cov, start) })
		if err != nil {
			return fmt.Errorf("sample %d: %w", record, err)
		}
		return nil
	})
}

// channels returns how many channels give matrices of the model's order.
func (s *streamer) channels() int {
	return s.model.Input.Dim / max(1, len(s.opt.Bands))
}

func (s *streamer) fits(stream *eeg.Stream) error {
	if s.model.Input.Kind != model.KindMatrices {
		return fmt.Errorf("a %s model works on vectors; --samples and --recording need one of matrices", s.model.Method)
	}
	if stream.Dim() != s.model.Input.Dim {
		return fmt.Errorf("the channels and bands give matrices of order %d, the model was fitted to order %d; give the --bands and the channels of the training",
			stream.Dim(), s.model.Input.Dim)
	}
	return nil
}

// replayBlock is the length in seconds of the pieces a recording is replayed in.
const replayBlock = 0.02

// replay feeds a recording through the stream.
func (s *streamer) replay(ctx context.Context, path string, rate float64, real bool) error {
	rec, err := eeg.OpenRecording(path, eeg.RecordingOptions{Rate: rate})
	if err != nil {
		return err
	}
	defer rec.Close()
	channels := len(rec.Channels)
	stream, err := eeg.NewStream(channels, rec.Rate, s.opt)
	if err != nil {
		return err
	}
	if err := s.fits(stream); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	block := max(1, int(replayBlock*rec.Rate))
	buf := make([]float64, block*channels)
	begin := time.Now()
	for at := 0; at < rec.Samples(); at += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(block, rec.Samples()-at)
		if err := rec.Read(buf[:n*channels], at, n); err != nil {
			return err
		}
		if real {
			due := begin.Add(time.Duration(float64(at+n) / rec.Rate * float64(time.Second)))
			time.Sleep(time.Until(due))
		}
		start := time.Now()
		if err := stream.Push(buf[:n*channels], func(cov []float64, end int64) error { return s.one(end, cov, start) }); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// streamLine is one decision; its JSON names do not change.
type streamLine struct {
	At          int64   `json:"at"` // number of the observation, or of the sample after the window
	Label       string  `json:"label"`
	Probability float64 `json:"probability"`
	Rejected    bool    `json:"rejected"`
	Outlier     bool    `json:"outlier"`
	LatencyMs   float64 `json:"latency_ms"`
}

func (s *streamer) one(at int64, x []float64, start time.Time) error {
	d, err := s.decide(x)
	if err != nil {
		return &recordError{err}
	}
	took := time.Since(start)
	s.latency.add(took)
	line := streamLine{at, s.model.Classes[d.label], d.probability, d.rejected, d.outlier, float64(took.Nanoseconds()) / 1e6}
	if s.app.json {
		b, err := json.Marshal(line)
		if err != nil {
			return err
		}
		s.out.Write(append(b, '\n'))
	} else {
		if s.names == nil {
			for _, name := range s.model.Classes {
				s.names = append(s.names, visible(name))
			}
		}
		line.Label = s.names[d.label]
		s.text = line.append(s.text[:0])
		s.out.Write(s.text)
	}
	return s.out.Flush()
}

// append adds the decision as text, without allocation: a running decoder has no
// pauses to spare.
func (l *streamLine) append(b []byte) []byte {
	b = append(strconv.AppendInt(b, l.At, 10), '\t')
	b = append(append(b, l.Label...), '\t')
	b = append(strconv.AppendFloat(b, l.Probability, 'f', 4, 64), '\t')
	b = append(strconv.AppendFloat(b, l.LatencyMs, 'f', 3, 64), " ms"...)
	if l.Outlier {
		b = append(b, "\toutlier"...)
	} else if l.Rejected {
		b = append(b, "\trejected"...)
	}
	return append(b, '\n')
}

func (s *streamer) summary() {
	left := ""
	if s.left > 0 {
		left = fmt.Sprintf("; %d left out that could not be read or decided on", s.left)
	}
	l := &s.latency
	if l.n == 0 {
		s.app.note("no decisions: the input ended before the first%s", left)
		return
	}
	s.app.note("%s; latency median %.3f ms, 99 %% %.3f ms, largest %.3f ms%s",
		plural(int(l.n), "decision", "decisions"), l.quantile(0.5), l.quantile(0.99), float64(l.max)/1e6, left)
}
