package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/text"
	"rao/internal/units"
	"rao/lsl"
)

// player is what the flags of rao play say.
type player struct {
	app            *app.App
	lsl            bool
	name, kind     string
	brainflow      string
	speed          float64
	block          float64 // seconds
	alone, local   bool
	opt            eeg.RecordingOptions
	channels       string
	loops          int
	signal, events *lsl.Outlet
	board          net.Conn
	scales         []units.Rescale
	packages       int // sent to the board's group
}

// playResult is what play prints; its JSON names do not change.
type playResult struct {
	Recording string `json:"recording"`
	Samples   int64  `json:"samples"`
	Markers   int    `json:"markers"`
	Lost      int64  `json:"lost"` // by consumers that did not keep up
}

func playCommand(a *app.App) *cobra.Command {
	p := &player{app: a}
	cmd := &cobra.Command{
		Use:   "play RECORDING",
		Short: "Offer a recording as a live stream",
		Long: `Offer a recording as a stream of Lab Streaming Layer, at the speed at which it was taken,
and its events as a second stream, of type Markers. The streams are called NAME and
NAME-markers, where NAME is that of the file unless --name says otherwise. The player waits
for somebody to take the signal, unless --alone, and ends with the recording. Times are
those of the recording from its start on: with --speed they run with it.

--brainflow sends the signal as a BrainFlow streaming board does, as UDP datagrams to a
multicast group: row 0 counts packages, the rows after it are the channels.`,
		Example: `  rao play session.gdf --lsl
  rao play session.gdf --lsl --speed 4 --channels C3,Cz,C4
  rao play x_raw.npy --rate 256 --lsl --local
  rao play session.gdf --brainflow 225.1.1.1:6677`,
		Args: oneRecording,
	}
	f := cmd.Flags()
	f.BoolVar(&p.lsl, "lsl", false, "offer streams of Lab Streaming Layer")
	app.TextVar(f, &p.name, "name", "NAME", "", "name of the stream; by default that of the file")
	app.TextVar(f, &p.kind, "type", "TYPE", "EEG", "type of the stream")
	app.TextVar(f, &p.brainflow, "brainflow", "HOST:PORT", "",
		"send to this address as a BrainFlow board, such as 225.1.1.1:6677")
	app.NumberFlag(f, &p.speed, "speed", 1, 1e-3, 1e3, "how many times as fast as it was taken")
	app.NumberFlag(f, &p.block, "block", 0.02, 1e-4, 10, "seconds of the recording sent at a time")
	app.CountFlag(f, &p.loops, "times", 1, 1, 1<<20, "how often to play it")
	f.BoolVar(&p.alone, "alone", false, "begin although nobody takes the stream")
	f.BoolVar(&p.local, "local", false, "offer the streams to this machine alone")
	app.NumberFlag(f, &p.opt.Rate, "rate", 0, 0, 1e9, "sampling rate in hertz, for npy")
	app.TextVar(f, &p.opt.Events, "events", "FILE", "", "table of events (csv, tsv); by default those of the recording")
	app.TextVar(f, &p.opt.Stream, "stream", "NAME", "", "name or type of the stream of signals in an XDF file")
	app.TextVar(f, &p.opt.Path, "path", "PATH", "", "part of a MAT-file that is the recording")
	app.TextVar(f, &p.channels, "channels", "NAME,...", "", "names of the channels to play, separated by commas")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !p.lsl && p.brainflow == "" {
			return app.Usagef("say where to play it: --lsl, or --brainflow with an address")
		}
		p.opt.Channels = app.SplitList(p.channels)
		r, err := p.play(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		return a.Emit(r, func() {
			fmt.Fprintf(a.Out, "%s: %d samples, %s\n", r.Recording, r.Samples, text.Plural(r.Markers, "marker",
				"markers"))
			if r.Lost > 0 {
				fmt.Fprintf(a.Out, "%d samples were lost by consumers that did not keep up\n", r.Lost)
			}
		})
	}
	return cmd
}

// oneRecording refuses another number of arguments than one.
func oneRecording(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return app.Usagef("%s takes one recording, not %d", cmd.CommandPath(), len(args))
	}
	return nil
}

func (p *player) play(ctx context.Context, path string) (*playResult, error) {
	p.opt.AsStored = true
	if p.opt.Channels == nil {
		p.opt.Kinds = []string{eeg.AllKinds}
	}
	rec, err := eeg.OpenRecording(path, p.opt)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	if p.name == "" {
		p.name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	if err := p.open(rec); err != nil {
		return nil, err
	}
	defer p.close()
	if p.signal != nil && !p.alone {
		p.app.Note("%s: %s at %g Hz; waiting for somebody to take it", p.name,
			text.Plural(len(rec.Channels), "channel", "channels"), rec.Rate)
		if err := p.signal.Wait(ctx); err != nil {
			return nil, err
		}
	}
	r := &playResult{Recording: path}
	start := lsl.Clock()
	for range p.loops {
		if err := p.once(ctx, rec, start+float64(r.Samples)/rec.Rate, r); err != nil {
			return nil, err
		}
	}
	p.close() // sends what waits
	if p.signal != nil {
		r.Lost = p.signal.Lost()
	}
	return r, nil
}

// open makes the streams.
func (p *player) open(rec *eeg.Recording) (err error) {
	if p.brainflow != "" {
		if p.board, err = net.Dial("udp4", p.brainflow); err != nil {
			return fmt.Errorf("--brainflow %s: %w", p.brainflow, err)
		}
		p.scales = make([]units.Rescale, len(rec.Channels)) // to the unit that boards send
		for c := range rec.Units {
			p.scales[c], _ = units.NewRescale(rec.Units[c], "uV")
		}
	}
	if !p.lsl {
		return nil
	}
	info := lsl.Info{Name: p.name, Type: p.kind, ChannelCount: len(rec.Channels), Format: lsl.Float64, Rate: rec.Rate,
		SourceID: "rao-play-" + p.name, Reference: rec.Reference}
	for c, name := range rec.Channels {
		ch := lsl.Channel{Label: name, Type: p.kind}
		if rec.Units != nil {
			ch.Unit = rec.Units[c]
		}
		if rec.Types != nil && rec.Types[c] != "" {
			ch.Type = strings.ToUpper(rec.Types[c])
		}
		if slices.Contains(rec.Bad, name) {
			ch.Status = "bad"
		}
		info.Channels = append(info.Channels, ch)
	}
	opt := lsl.OutletOptions{Local: p.local}
	if p.signal, err = lsl.NewOutlet(info, opt); err != nil {
		return err
	}
	p.events, err = lsl.NewOutlet(lsl.Info{Name: p.name + "-markers", Type: "Markers", ChannelCount: 1,
		Format: lsl.Text, SourceID: "rao-play-" + p.name + "-markers"}, opt)
	return err
}

func (p *player) close() {
	for _, o := range []*lsl.Outlet{p.signal, p.events} {
		if o != nil {
			o.Close()
		}
	}
	if p.board != nil {
		p.board.Close()
	}
}

// once plays the recording from a time on, which is that of its first sample.
func (p *player) once(ctx context.Context, rec *eeg.Recording, start float64, r *playResult) error {
	channels := len(rec.Channels)
	block := max(1, int(math.Round(p.block*rec.Rate)))
	buf := make([]float64, block*channels)
	events := rec.Events
	begin := time.Now()
	for at := 0; at < rec.Samples(); at += block {
		n := min(block, rec.Samples()-at)
		if err := rec.Read(buf[:n*channels], at, n); err != nil {
			return err
		}
		due := begin.Add(time.Duration(float64(at+n) / rec.Rate / p.speed * float64(time.Second)))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(due)):
		}
		for ; len(events) > 0 && events[0].Sample < at+n; events = events[1:] {
			if err := p.mark(events[0], start+float64(events[0].Sample)/rec.Rate); err != nil {
				return err
			}
			r.Markers++
		}
		if err := p.send(buf[:n*channels], channels, start+float64(at+n-1)/rec.Rate); err != nil {
			return err
		}
		r.Samples += int64(n)
	}
	return nil
}

// mark sends an event.
func (p *player) mark(e eeg.Event, at float64) error {
	if p.events == nil {
		return nil
	}
	label := e.Label
	if label == "" {
		label = strconv.Itoa(e.Code)
	}
	return p.events.PushText([]string{label}, at)
}

// send sends samples.
func (p *player) send(values []float64, channels int, at float64) error {
	if p.signal != nil {
		if err := p.signal.Push(values, at); err != nil {
			return err
		}
	}
	if p.board == nil {
		return nil
	}
	var b []byte
	for ; len(values) > 0; values = values[channels:] {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(p.packages%256)))
		p.packages++
		for c, v := range values[:channels] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.scales[c].Of(v)))
		}
		if len(b)+8*(channels+1) > 8192 || len(values) == channels {
			if _, err := p.board.Write(b); err != nil && !errors.Is(err, syscall.ECONNREFUSED) { // nobody listens yet
				return err
			}
			b = b[:0]
		}
	}
	return nil
}
