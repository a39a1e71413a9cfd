package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rao"
	"rao/eeg"
	"rao/internal/decisionrecord"
	"rao/internal/eeg/stopping"
	"rao/internal/lsl"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/internal/text"
	"rao/internal/voltage"
	"rao/model"
	"rao/stream"
)

// Session classifies observations, samples, a recording or a live signal as the data arrive.
type Session struct {
	Model   *model.Model
	Options stream.DecoderOptions
	Format  string // format of a stream of records: csv, f32 or f64 (little-endian)
	// Progress receives the position in a recording that is replayed.
	Progress rao.Progress
	Skip     bool   // skip and count unusable records and samples instead of ending
	Unit     string // unit of channels without a known unit
	// Keep uses bad, flat or non-finite channels unchanged, instead of interpolating them.
	Keep bool
	// Bad lists bad channels, in addition to the channels that are marked in the signal.
	Bad []string
	// Artifacts is the length in seconds of the signal's start, which artifact detection is trained on. Decisions on
	// artifacts are then rejected. 0 turns artifact detection off.
	Artifacts float64
	Note      Note // called with remarks for the user; may be nil
	// Write is called for every decision, before it is logged and published, with the duration of the computation. It
	// may be nil.
	Write func(d Decision, took time.Duration) error
	// Stopping decides when the evidence is sufficient. With nil, every window gets a decision.
	Stopping *stopping.Rule
	Feedback *Feedback   // shows the evidence and the decisions; may be nil
	Outlet   *lsl.Outlet // publishes the decisions; may be nil

	Latency Latencies // latencies of the decisions so far

	decoder  *stream.Decoder
	gathered *gathering           // nil without a stopping rule
	left     int                  // number of records left out
	skipped  func()               // called for records that cannot be read; may be nil
	flat     []string             // names of channels that do not vary
	heard    func(Decision) error // called for every decision on a live signal
	mender   *mender              // nil if no channel can be interpolated
	search   *artifacts           // nil without artifact detection
	rejected int                  // number of decisions rejected because of artifacts
	gaps     int                  // number of gaps after which a live signal restarted
	lost     int64                // number of samples lost in gaps
}

// Decision is a decision on a signal.
type Decision struct {
	model.Decision
	Artifact bool // it was rejected because of an artifact in its signal
}

// Record returns the decision in the format that other programs read. classes are the names of the classes, and took is
// the latency of the decision.
func (d *Decision) Record(classes []string, took time.Duration) decisionrecord.Record {
	r := decisionrecord.Of(&d.Decision, classes, took)
	r.Artifact = d.Artifact
	return r
}

func (s *Session) note(format string, args ...any) {
	if s.Note != nil {
		s.Note(format, args...)
	}
}

// Open creates the decoder. The methods for each kind of input call it.
func (s *Session) Open() (err error) {
	if s.Skip {
		s.Options.Fault = s.leaveOut
	}
	if s.decoder, err = stream.NewDecoder(s.Model, s.Options); err != nil {
		return err
	}
	for _, n := range s.decoder.Notes() {
		s.note("%s", n)
	}
	return s.gather()
}

// openSignal creates the decoder of a signal.
func (s *Session) openSignal(ctx context.Context) error {
	if err := s.Open(); err != nil {
		return err
	}
	if s.decoder.Width() == 0 {
		return s.decoder.Push(ctx, nil, nil) // returns an error that explains what is missing
	}
	return nil
}

// units returns the units of the incoming channels: the given ones, or s.Unit for channels without a known unit.
func (s *Session) units(given []string, width int) []string {
	if s.Unit == "" {
		return given
	}
	out := make([]string, width)
	copy(out, given)
	for c := range out {
		if voltage.Parse(out[c]) == "" {
			out[c] = s.Unit
		}
	}
	return out
}

// Observations classifies records that are complete observations: vectors, or row-major matrices.
func (s *Session) Observations(ctx context.Context, in io.Reader) error {
	if err := s.Open(); err != nil {
		return err
	}
	width := s.Model.Input.Dim
	if s.Model.Input.Kind == model.KindMatrices {
		width *= width
	}
	return s.read(ctx, in, width, func(record int, x []float64) error {
		start := time.Now()
		d, err := s.decoder.Observe(x)
		if err != nil {
			return &recordError{err}
		}
		d.At = int64(record)
		return s.write(Decision{Decision: d}, start)
	})
}

// read calls f for every record of the input.
func (s *Session) read(ctx context.Context, in io.Reader, width int, f func(record int, x []float64) error) error {
	r, err := newRecords(in, s.Format, width)
	if err != nil {
		return err
	}
	r.skip, r.note, r.skipped = s.Skip, s.note, s.skipped
	err = r.each(ctx, f)
	s.left += r.left
	return err
}

// Samples classifies sliding windows of a signal. Each record is one sample of all channels.
func (s *Session) Samples(ctx context.Context, in io.Reader) error {
	trained := recipes.SignalOf(s.Model.Input.Recipe)
	if trained != nil {
		s.Options.Units = s.units(nil, len(recipes.Inputs(trained)))
	}
	if err := s.openSignal(ctx); err != nil {
		return err
	}
	info := &Info{Width: s.decoder.Width(), Rate: s.signalRate(), Units: s.Options.Units}
	if trained != nil {
		info.Channels = recipes.Inputs(trained)
	}
	if err := s.guard(info, nil); err != nil {
		return err
	}
	s.skipped = func() { s.decoder.Restart(1) } // unreadable samples are missing in the signal
	return s.read(ctx, in, s.decoder.Width(), func(record int, x []float64) error {
		if err := s.Push(ctx, x); err != nil {
			return fmt.Errorf("sample %d: %w", record, err)
		}
		return nil
	})
}

// replayBlock is the length in seconds of the blocks in which a recording is replayed.
const replayBlock = 0.02

// Replay classifies sliding windows over a recording, at the speed of the recording if real is true.
func (s *Session) Replay(ctx context.Context, path string, real bool) error {
	rec, err := s.Recording(path)
	if err != nil {
		return err
	}
	defer rec.Close()
	return s.replay(ctx, rec, path, real)
}

func (s *Session) replay(ctx context.Context, rec *eeg.Recording, path string, real bool) error {
	s.Options.Rate, s.Options.Channels, s.Options.Reference = rec.Rate, rec.Channels, rec.Reference
	s.Options.Units = s.units(rec.Units, len(rec.Channels))
	if r := recipes.SignalOf(s.Model.Input.Recipe); rec.AverageDue && (r == nil || len(r.Subtracted) == 0) {
		s.note("%s requests the average reference, but its samples do not have it and the training did not use it; "+
			"the samples are used unchanged", path)
	}
	if err := s.openSignal(ctx); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	info := InfoOf(rec)
	if err := s.guard(info, rec.Positions); err != nil {
		return err
	}
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
			s.restart(int64(at))
			breaks = breaks[1:]
		}
		if len(breaks) > 0 {
			n = min(n, breaks[0]-at)
		}
		s.Progress.Send(rao.Event{Stage: filepath.Base(path), Done: at, Total: rec.Samples()})
		if err := rec.Read(buf[:n*channels], at, n); err != nil {
			return err
		}
		if real {
			due := begin.Add(time.Duration(float64(at+n) / rec.Rate * float64(time.Second)))
			time.Sleep(time.Until(due))
		}
		if err := s.Push(ctx, buf[:n*channels]); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// Recording opens a file for a replay. For an npy file, the rate and the channel names come from the model.
func (s *Session) Recording(path string) (*eeg.Recording, error) {
	opt := eeg.RecordingOptions{Rate: s.Options.Rate, AsStored: true} // the decoder converts units
	if r := recipes.SignalOf(s.Model.Input.Recipe); r != nil {
		opt.Kinds = []string{optionvalues.AllKinds} // the decoder selects the channels
		if strings.EqualFold(filepath.Ext(path), ".npy") {
			if opt.Channels = recipes.Inputs(r); opt.Rate == 0 && !r.Resampled {
				opt.Rate = r.Rate
			}
		}
	}
	return eeg.OpenRecording(path, opt)
}

// Run classifies a live signal until it ends. Unless logFile is empty, it logs the input and the decisions to that XDF
// file.
func (s *Session) Run(ctx context.Context, signal Signal, info *Info, logFile string) error {
	if err := s.describe(info); err != nil {
		return err
	}
	if err := s.openSignal(ctx); err != nil {
		return err
	}
	if err := s.expect(info, s.decoder.Width()); err != nil {
		return err
	}
	return Logged(logFile, func(log *Log) error {
		if err := log.Begin(info, "decisions"); err != nil {
			return err
		}
		return s.follow(ctx, signal, log)
	})
}

// describe copies the description of the live signal to the options of the decoder.
func (s *Session) describe(info *Info) error {
	if s.Options.Rate != 0 && s.Options.Rate != info.Rate {
		return rao.Optionf("rate", "{rate=%g} is wrong: the stream %q has %g samples per second; leave the rate out",
			s.Options.Rate, info.Name,
			info.Rate)
	}
	s.Options.Rate, s.Options.Channels, s.Options.Reference = info.Rate, info.Channels, info.Reference
	s.Options.Units = s.units(info.Units, info.Width)
	return nil
}

// expect checks that a live signal has as many channels as the decoder needs, and prepares the session for bad
// channels.
func (s *Session) expect(info *Info, width int) error {
	if width != info.Width {
		return fmt.Errorf("the stream %q has %s without names, but the model has %s; send exactly the channels of "+
			"the training data", info.Name, text.Plural(info.Width, "channel", "channels"),
			text.Plural(width, "channel", "channels"))
	}
	if err := s.guard(info, nil); err != nil {
		return err
	}
	s.note("%s: %s, %g samples per second", info.Name, text.Plural(info.Width, "channel", "channels"), info.Rate)
	return nil
}

// publish sends a decision to the outlet, if the session has one. at is its time stamp.
func (s *Session) publish(d Decision, at float64) error {
	if s.Outlet == nil {
		return nil
	}
	r := d.Record(s.Model.Classes, 0)
	return s.Outlet.PushText([]string{r.Label, strconv.FormatFloat(r.Probability, 'g', 6, 64), r.State()}, at)
}

// follow classifies the signal until it ends.
func (s *Session) follow(ctx context.Context, signal Signal, log *Log) error {
	var before int64 // number of samples in earlier pieces
	var p Piece
	s.heard = func(d Decision) error {
		if err := log.Word(d.At-1, s.Model.Classes[d.Label]); err != nil {
			return err
		}
		return s.publish(d, p.Times[d.At-1-before])
	}
	for {
		var err error
		if p, err = signal.Next(ctx); err != nil {
			if errors.Is(err, io.EOF) {
				s.note("the stream has ended")
				return nil
			}
			return err
		}
		if p.Begins {
			s.gaps++
			s.lost += p.Lost
			s.restart(before)
			s.note("%s; the next decision comes after one window", restarts(p.Lost))
		}
		if err := log.Samples(p); err != nil {
			return err
		}
		if err := s.Push(ctx, p.Values); err != nil {
			return err
		}
		before += int64(len(p.Times))
	}
}

func (s *Session) write(d Decision, start time.Time) error {
	took := time.Since(start)
	s.Latency.Add(took)
	if s.Write == nil {
		return nil
	}
	return s.Write(d, took)
}

// Summary returns one line with the number of decisions, their latency, and what was left out.
func (s *Session) Summary() string {
	left := ""
	if s.left > 0 {
		left = fmt.Sprintf("; %d left out because they could not be read or decided on", s.left)
	}
	if s.gaps > 0 {
		left += fmt.Sprintf("; %s, %s lost", text.Plural(s.gaps, "gap", "gaps"), text.Plural(int(s.lost), "sample",
			"samples"))
	}
	if s.mender != nil && s.mender.count > 0 {
		left += fmt.Sprintf("; %s of the samples have interpolated channels",
			text.Percent(float64(s.mender.count)/float64(s.mender.came)))
	}
	left += s.search.summary(s.rejected)
	l := &s.Latency
	if l.N == 0 {
		return "no decisions: the input ended before the first one" + left
	}
	return fmt.Sprintf("%s; latency median %.3f ms, 99 %% %.3f ms, largest %.3f ms%s",
		text.Plural(int(l.N), "decision", "decisions"), l.Quantile(0.5), l.Quantile(0.99), float64(l.Max)/1e6, left)
}
