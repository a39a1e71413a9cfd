package live

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"rao/eeg"
	"rao/internal/lsl"
	"rao/internal/text"
	"rao/internal/voltage"
)

// PlayOptions are the options of [Play].
type PlayOptions struct {
	Board string  // address to send to in the format of a BrainFlow board; empty: none
	Name  string  // name of the Lab Streaming Layer stream to publish; empty: none
	Type  string  // type of the stream, such as EEG
	Speed float64 // speed relative to real time
	Block float64 // seconds of the recording sent at a time
	Times int     // number of times to play the recording
	Alone bool    // start even without a consumer
	Local bool    // offer the streams on this machine only
	Note  Note
}

// Played counts what was played.
type Played struct {
	Samples int64
	Markers int
	Lost    int64 // samples lost by slow consumers
}

type player struct {
	opt            PlayOptions
	signal, events *lsl.Outlet
	board          net.Conn
	scales         []voltage.Rescale
	packages       int // number of BrainFlow packages sent
}

// Play sends a recording as a live signal, with its events as markers, until it ends.
func Play(ctx context.Context, rec *eeg.Recording, opt PlayOptions) (*Played, error) {
	p := &player{opt: opt}
	defer p.close()
	if err := p.open(rec); err != nil {
		return nil, err
	}
	if p.signal != nil && !opt.Alone {
		if opt.Note != nil {
			opt.Note("%s: %s at %g Hz; waiting for a subscriber", opt.Name,
				text.Plural(len(rec.Channels), "channel", "channels"), rec.Rate)
		}
		if err := p.signal.Wait(ctx); err != nil {
			return nil, err
		}
	}
	r := &Played{}
	start := lsl.Clock()
	for range opt.Times {
		if err := p.once(ctx, rec, start+float64(r.Samples)/rec.Rate, r); err != nil {
			return nil, err
		}
	}
	p.close() // sends buffered samples
	if p.signal != nil {
		r.Lost = p.signal.Lost()
	}
	return r, nil
}

// open opens the streams and the connection for a board.
func (p *player) open(rec *eeg.Recording) (err error) {
	if p.opt.Board != "" {
		if p.board, err = net.Dial("udp4", p.opt.Board); err != nil {
			return fmt.Errorf("%s: %w", p.opt.Board, err)
		}
		p.scales = make([]voltage.Rescale, len(rec.Channels)) // conversion to microvolts, the unit of boards
		for c := range rec.Units {
			p.scales[c], _ = voltage.NewRescale(rec.Units[c], "uV")
		}
	}
	if p.opt.Name == "" {
		return nil
	}
	info := lsl.Info{Name: p.opt.Name, Type: p.opt.Type, ChannelCount: len(rec.Channels), Format: lsl.Float64,
		Rate:     rec.Rate,
		SourceID: "rao-play-" + p.opt.Name, Reference: rec.Reference}
	for c, name := range rec.Channels {
		ch := lsl.Channel{Label: name, Type: p.opt.Type}
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
	opt := lsl.OutletOptions{Local: p.opt.Local}
	if p.signal, err = lsl.NewOutlet(info, opt); err != nil {
		return err
	}
	p.events, err = lsl.NewOutlet(lsl.Info{Name: p.opt.Name + "-markers", Type: "Markers", ChannelCount: 1,
		Format: lsl.Text, SourceID: "rao-play-" + p.opt.Name + "-markers"}, opt)
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

// once plays the recording a single time. start is the time stamp of its first sample.
func (p *player) once(ctx context.Context, rec *eeg.Recording, start float64, r *Played) error {
	channels := len(rec.Channels)
	block := max(1, int(math.Round(p.opt.Block*rec.Rate)))
	buf := make([]float64, block*channels)
	events := rec.Events
	begin := time.Now()
	for at := 0; at < rec.Samples(); at += block {
		n := min(block, rec.Samples()-at)
		if err := rec.Read(buf[:n*channels], at, n); err != nil {
			return err
		}
		due := begin.Add(time.Duration(float64(at+n) / rec.Rate / p.opt.Speed * float64(time.Second)))
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

// mark sends an event as a marker with time stamp at.
func (p *player) mark(e eeg.Event, at float64) error {
	if p.events == nil {
		return nil
	}
	return p.events.PushText([]string{MarkerText(e)}, at)
}

// send sends samples. at is the time stamp of the last sample.
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
