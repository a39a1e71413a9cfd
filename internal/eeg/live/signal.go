// Package live receives live signals and markers, classifies and logs them, trains a model during a session, and plays
// recordings.
package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"rao/eeg"
	"rao/internal/eeg/channelkind"
	"rao/internal/lsl"
)

// Note reports a remark to the user. It has the arguments of fmt.Printf.
type Note func(format string, args ...any)

// Signal is a live signal.
type Signal interface {
	// Next waits for samples and returns them. The samples are valid until the next call. At the end it returns io.EOF.
	Next(ctx context.Context) (Piece, error)
	Close() error
}

// Piece is a block of consecutive samples.
type Piece struct {
	Values []float64 // samples×channels
	Times  []float64 // time stamp of each sample; see [lsl.Clock]
	Begins bool      // there is a break before this piece
	Lost   int64     // number of samples lost before this piece
	// Events are the markers that arrived since the last piece. Their samples are counted from the start of the signal,
	// and may be before or after the piece.
	Events []eeg.Event
}

// Info describes a live signal.
type Info struct {
	Name      string
	Channels  []string // names; nil if unknown
	Units     []string // units of the channels; nil if unknown
	Types     []string // kinds of the channels in lower case; nil if unknown
	Bad       []string // names of channels marked as bad
	Width     int
	Rate      float64
	Reference string
	Samples   int  // number of samples; 0 if the signal is live
	Exact32   bool // all values can be stored exactly as float32
}

// names returns the names of the channels, or ch1, ch2, ... if they are unknown.
func (i *Info) names() []string {
	if i.Channels != nil {
		return i.Channels
	}
	names := make([]string, i.Width)
	for c := range names {
		names[c] = fmt.Sprintf("ch%d", c+1)
	}
	return names
}

// kind returns the kind of a channel, such as eeg.
func (i *Info) kind(channel int) string { return channelkind.Of(i.names(), i.Types, i.Units, channel) }

// lslSignal is a stream of Lab Streaming Layer.
type lslSignal struct {
	note  Note
	inlet *lsl.Inlet
	chunk lsl.Chunk
}

// OpenLSL opens a stream that [lsl.Resolve] found. The stream must contain numbers and have a sampling rate.
func OpenLSL(ctx context.Context, found lsl.Info, note Note, opt lsl.InletOptions) (Signal, *Info, error) {
	switch {
	case found.Format == lsl.Text:
		return nil, nil, fmt.Errorf("the stream %q contains text, not a signal; name a stream of numbers", found.Name)
	case found.Rate == 0:
		return nil, nil, fmt.Errorf("the stream %q has no sampling rate; name a stream of regular samples", found.Name)
	}
	inlet, err := lsl.Open(ctx, found, opt)
	if err != nil {
		return nil, nil, err
	}
	info := inlet.Info()
	if _, ok := inlet.Offset(); !ok {
		note("the clock of the stream %q does not respond; times are from the clock of %s", info.Name, info.Host)
	}
	live := &Info{Name: info.Name, Channels: info.Labels(), Width: info.ChannelCount, Rate: info.Rate,
		Reference: info.Reference,
		Exact32:   info.Format == lsl.Float32 || info.Format == lsl.Int16 || info.Format == lsl.Int8}
	for _, c := range info.Channels {
		live.Units, live.Types = append(live.Units, c.Unit), append(live.Types, strings.ToLower(c.Type))
		if strings.EqualFold(c.Status, "bad") {
			live.Bad = append(live.Bad, c.Label)
		}
	}
	return &lslSignal{note: note, inlet: inlet}, live, nil
}

// Next implements [Signal].
func (s *lslSignal) Next(ctx context.Context) (Piece, error) {
	err := s.inlet.Pull(ctx, &s.chunk)
	if errors.Is(err, lsl.ErrEnded) {
		err = io.EOF
	} else if err == nil && s.chunk.Away {
		s.note("the stream was lost; searching for it")
	}
	return Piece{Values: s.chunk.Values, Times: s.chunk.Times, Begins: s.chunk.Begins, Lost: s.chunk.Lost}, err
}

// Close implements [Signal].
func (s *lslSignal) Close() error { return s.inlet.Close() }
