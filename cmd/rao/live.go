package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/eeg/brainflow"
	"rao/internal/text"
	"rao/lsl"
)

// liveSignal is a signal that comes as it is taken.
type liveSignal interface {
	// Next waits for samples, valid until the next call; io.EOF is the end.
	Next(ctx context.Context) (livePiece, error)
	Close() error
}

// livePiece is some samples that follow each other.
type livePiece struct {
	values []float64 // samples×channels
	times  []float64 // of each sample, by lsl.Clock
	begins bool      // does not go on from the piece before
	lost   int64     // samples before it that were lost
}

// liveInfo is what is known of a live signal.
type liveInfo struct {
	name      string
	channels  []string // names, nil where they are not known
	units     []string // of the channels, nil where they are not known
	types     []string // kinds of the channels in lower case, nil where they are not known
	bad       []string // channels that are marked as bad
	width     int
	rate      float64
	reference string
	exact32   bool // all values are those of float32
}

// names returns the names of the channels, made up where they are not known.
func (i *liveInfo) names() []string {
	if i.channels != nil {
		return i.channels
	}
	names := make([]string, i.width)
	for c := range names {
		names[c] = fmt.Sprintf("ch%d", c+1)
	}
	return names
}

// head is a recording of the same channels, for what they are.
func (i *liveInfo) head() *eeg.Recording {
	return &eeg.Recording{Channels: i.names(), Types: i.types, Units: i.units}
}

// networkFlags say where streams are looked for.
type networkFlags struct {
	peers      string
	local      bool
	wait, lost float64
}

func (n *networkFlags) add(cmd *cobra.Command, wait float64) {
	f := cmd.Flags()
	app.TextVar(f, &n.peers, "peers", "HOST,...", "",
		"hosts to ask one by one, separated by commas, beside what multicast reaches")
	f.BoolVar(&n.local, "local", false, "keep to streams of this machine, and offer streams to it alone")
	app.NumberFlag(f, &n.wait, "wait", wait, 0.01, 1e6, "seconds to look for streams")
}

// addLost registers how long a stream that went away is looked for.
func (n *networkFlags) addLost(cmd *cobra.Command) {
	app.NumberFlag(cmd.Flags(), &n.lost, "lost", 30, 0, 1e6, "seconds to look for a stream that went away, by its "+
		"source_id; then it has ended")
}

// inlet returns how a stream is taken.
func (n *networkFlags) inlet() lsl.InletOptions {
	opt := lsl.InletOptions{Peers: app.SplitList(n.peers), Recover: time.Duration(n.lost * float64(time.Second))}
	if opt.Recover == 0 {
		opt.Recover = -1
	}
	return opt
}

func (n *networkFlags) options(least int) lsl.ResolveOptions {
	return lsl.ResolveOptions{Peers: app.SplitList(n.peers), Local: n.local, Minimum: least,
		Wait: time.Duration(n.wait * float64(time.Second))}
}

// find looks for the one stream that the query chooses.
func (n *networkFlags) find(ctx context.Context, query string) (lsl.Info, error) {
	q, err := lsl.ParseQuery(query)
	if err != nil {
		return lsl.Info{}, &app.UsageError{Msg: err.Error()}
	}
	found, err := lsl.Resolve(ctx, q, n.options(1))
	if err == nil && len(found) == 1 { // are there others?
		again := n.options(0)
		again.Wait = min(again.Wait, 300*time.Millisecond)
		var more []lsl.Info
		if more, err = lsl.Resolve(ctx, q, again); len(more) > 0 {
			found = more
		}
	}
	switch {
	case err != nil:
		return lsl.Info{}, err
	case len(found) == 0:
		return lsl.Info{}, fmt.Errorf("no stream was found for %s within %g s; rao lsl list shows what is there",
			query, n.wait)
	case len(found) > 1:
		names := make([]string, len(found))
		for i, f := range found {
			names[i] = fmt.Sprintf("name='%s' and source_id='%s' on %s", f.Name, f.SourceID, f.Host)
		}
		return lsl.Info{}, fmt.Errorf("%d streams are found for %s: %s; choose one of them", len(found), query,
			strings.Join(names, "; "))
	}
	return found[0], nil
}

// lslSignal is a stream of Lab Streaming Layer.
type lslSignal struct {
	app   *app.App
	inlet *lsl.Inlet
	chunk lsl.Chunk
}

// openLSL opens the stream of numbers that the query chooses.
func openLSL(ctx context.Context, a *app.App, n *networkFlags, query string) (*lslSignal, *liveInfo, error) {
	found, err := n.find(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case found.Format == lsl.Text:
		return nil, nil, fmt.Errorf("the stream %q holds texts, not a signal", found.Name)
	case found.Rate == 0:
		return nil, nil, fmt.Errorf("the stream %q has no sampling rate", found.Name)
	}
	inlet, err := lsl.Open(ctx, found, n.inlet())
	if err != nil {
		return nil, nil, err
	}
	info := inlet.Info()
	if _, ok := inlet.Offset(); !ok {
		a.Note("the clock of the stream %q does not answer: times are those of %s", info.Name, info.Host)
	}
	live := &liveInfo{name: info.Name, channels: info.Labels(), width: info.ChannelCount, rate: info.Rate,
		reference: info.Reference,
		exact32:   info.Format == lsl.Float32 || info.Format == lsl.Int16 || info.Format == lsl.Int8}
	for _, c := range info.Channels {
		live.units, live.types = append(live.units, c.Unit), append(live.types, strings.ToLower(c.Type))
		if strings.EqualFold(c.Status, "bad") {
			live.bad = append(live.bad, c.Label)
		}
	}
	return &lslSignal{app: a, inlet: inlet}, live, nil
}

// Next implements liveSignal.
func (s *lslSignal) Next(ctx context.Context) (livePiece, error) {
	err := s.inlet.Pull(ctx, &s.chunk)
	if errors.Is(err, lsl.ErrEnded) {
		err = io.EOF
	} else if err == nil && s.chunk.Away {
		s.app.Note("the stream went away; it is looked for")
	}
	return livePiece{s.chunk.Values, s.chunk.Times, s.chunk.Begins, s.chunk.Lost}, err
}

// Close implements liveSignal.
func (s *lslSignal) Close() error { return s.inlet.Close() }

// brainflowFlags say what a board sends.
type brainflowFlags struct {
	addr, eeg, names string
	rows, counter    int
}

func (b *brainflowFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	app.TextVar(f, &b.addr, "brainflow", "HOST:PORT", "",
		"address of a BrainFlow streaming board, such as 225.1.1.1:6677; with "+
			"--rows, --eeg and --rate")
	app.CountFlag(f, &b.rows, "rows", 0, 0, 1<<12, "rows of the BrainFlow board")
	app.TextVar(f, &b.eeg, "eeg", "ROW,...", "",
		"rows of the BrainFlow board that are the signal, counted from 0, such as 1-8")
	app.TextVar(f, &b.names, "eeg-names", "NAME,...", "", "names of the channels in those rows, separated by commas")
	app.CountFlag(f, &b.counter, "counter", 0, -1, 1<<12,
		"row of the BrainFlow board that counts packages; -1 for none")
}

// brainflowSignal is some rows of a board.
type brainflowSignal struct {
	receiver *brainflow.Receiver
	pick     []int
	rows     int
	rate     float64
	values   []float64
	times    []float64
}

// open begins to listen to the board.
func (b *brainflowFlags) open(rate float64) (*brainflowSignal, *liveInfo, error) {
	if b.rows == 0 || b.eeg == "" || rate == 0 {
		return nil, nil,
			app.Usagef("--brainflow says neither the rows nor the rate of its board: give --rows, --eeg and " +
				"--rate")
	}
	pick, err := parseRows(b.eeg, b.rows)
	if err != nil {
		return nil, nil, err
	}
	names := app.SplitList(b.names)
	if names != nil && len(names) != len(pick) {
		return nil, nil, app.Usagef("--eeg-names has %d names for %s", len(names), text.Plural(len(pick), "row",
			"rows"))
	}
	r, err := brainflow.Listen(b.addr, brainflow.Options{Rows: b.rows, Counter: b.counter})
	if err != nil {
		return nil, nil, err
	}
	return &brainflowSignal{receiver: r, pick: pick, rows: b.rows, rate: rate},
		&liveInfo{name: "BrainFlow " + b.addr, channels: names, width: len(pick), rate: rate,
			units: slices.Repeat([]string{"uV"}, len(pick))}, nil // BrainFlow's unit of EEG
}

// parseRows reads rows such as 1-8 or 0,2,5-7.
func parseRows(text string, rows int) ([]int, error) {
	out, ok := parseRanges(text, 0, rows-1)
	if !ok {
		return nil, app.Usagef("--eeg %s: want rows from 0 to %d, such as 1-8", text, rows-1)
	}
	return out, nil
}

// Next implements liveSignal. Times are those at which the samples came.
func (s *brainflowSignal) Next(ctx context.Context) (livePiece, error) {
	packages, lost, err := s.receiver.Read(ctx)
	if err != nil {
		return livePiece{}, err
	}
	n := len(packages) / s.rows
	s.values, s.times = s.values[:0], s.times[:0]
	now := lsl.Clock()
	for k := range n {
		for _, c := range s.pick {
			s.values = append(s.values, packages[k*s.rows+c])
		}
		s.times = append(s.times, now-float64(n-1-k)/s.rate)
	}
	return livePiece{s.values, s.times, lost > 0, int64(lost)}, nil
}

// Close implements liveSignal.
func (s *brainflowSignal) Close() error { return s.receiver.Close() }
