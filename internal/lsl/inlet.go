package lsl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"sync"
	"time"
)

// InletOptions adjust [Open]. The zero value converts times to Clock, removes jitter, and reconnects to a lost stream.
type InletOptions struct {
	// Raw keeps the sender's time stamps.
	Raw bool
	// Halftime is the half-time of the smoothing of times, in seconds; 0: 90, as in the reference library.
	Halftime float64
	// Buffer is how many seconds of a regular stream, or hundred samples of another, wait to
	// be pulled; 0 is 60. When there are more, the oldest are lost, and counted.
	Buffer float64
	// Gap is by how many seconds the times of a regular stream may jump; a longer jump is
	// a gap, after which the signal starts again. 0 is half a second.
	Gap float64
	// Recover is for how long a stream that went away is looked for, by its source_id; 0 is
	// without end, and below 0 not at all. One without a source_id is not looked for.
	Recover time.Duration
	// Peers are hosts on which it is looked for, next to those that Resolve reaches.
	Peers []string
	// Silence is after how long without a sample a regular stream is looked for again; 0 is
	// 15 s.
	Silence time.Duration
}

// Chunk is a piece of a stream: samples that follow each other.
type Chunk struct {
	Times  []float64 // of each sample, by Clock
	Values []float64 // samples × channels, nil for texts
	Texts  []string  // samples × channels, nil for numbers
	// Begins reports that the first sample is not contiguous with the previous one, because of a gap, a full buffer or
	// a lost stream.
	Begins bool
	// Lost is the number of samples that were lost just before. What was lost while a stream
	// was away is reckoned by the clock.
	Lost int64
	// Away reports that the stream was lost and is being searched. Such a chunk has no samples.
	Away bool
}

// Len returns the number of samples.
func (c *Chunk) Len() int { return len(c.Times) }

// ErrEnded means that a stream ended and cannot be found again.
var ErrEnded = errors.New("the stream has ended")

// Inlet receives the samples of a stream. Pull and Close may be called from different goroutines, Pull only from one
// at a time.
type Inlet struct {
	opt    InletOptions
	queue  *queue
	cancel context.CancelFunc
	done   sync.WaitGroup
	codec  *codec
	smooth dejitter
	fresh  bool    // the next sample starts the smoothing
	last   float64 // raw time of the last sample, NaN before the first
	moved  float64 // what was added to it
	left   float64 // when the stream went away, by Clock; 0 while it is there

	mu     sync.Mutex
	info   Info
	offset Offset
	known  bool // offset
}

// Open connects to a stream that Resolve found. It returns when the stream is about to
// come. Close ends it, and so does ctx before Open returned, no longer afterwards.
func Open(ctx context.Context, info Info, opt InletOptions) (*Inlet, error) {
	if err := info.Validate(); err != nil {
		return nil, err
	}
	if !info.Address.IsValid() || info.DataPort == 0 {
		return nil, fmt.Errorf("the stream %q has no address: get it from Resolve", info.Name)
	}
	defaults(&opt)
	in := &Inlet{opt: opt, info: info, last: math.NaN(), fresh: true}
	in.queue = newQueue(info.ChannelCount, in.samples(), info.Format == Text)
	full, err := fullInfo(ctx, &info)
	if err != nil {
		return nil, err
	}
	in.info = *full
	conn, err := in.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("the stream %q at %v: %w", info.Name, info.Address, err)
	}
	if !opt.Raw {
		in.compare(ctx, 0)
	}
	run, cancel := context.WithCancel(context.Background())
	in.cancel = cancel
	in.done.Add(1)
	go in.run(run, conn)
	if !opt.Raw {
		in.done.Add(1)
		go in.follow(run)
	}
	return in, nil
}

func defaults(o *InletOptions) {
	if o.Halftime <= 0 {
		o.Halftime = defaultHalftime
	}
	if o.Buffer <= 0 {
		o.Buffer = 60
	}
	if o.Gap <= 0 {
		o.Gap = 0.5
	}
	if o.Silence <= 0 {
		o.Silence = 15 * time.Second
	}
}

// samples is how many may wait: never more than 2 GiB of them.
func (in *Inlet) samples() int {
	rate := cmp.Or(in.info.Rate, 100)
	return int(max(64, min(in.opt.Buffer*rate, float64(1<<28/in.info.ChannelCount))))
}

// Info returns what is known of the stream, with its channels.
func (in *Inlet) Info() Info {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.info
}

// Offset returns how far the sender's clock is from ours; ok is false while it does not
// answer, and then times are the sender's.
func (in *Inlet) Offset() (o Offset, ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.offset, in.known
}

// lost returns how many samples were lost so far.
func (in *Inlet) lost() int64 {
	in.queue.mu.Lock()
	defer in.queue.mu.Unlock()
	return in.queue.total
}

// Pull waits for samples and moves those that are there into the chunk, whose slices it
// uses again. Once a stream goes away it returns a chunk without samples that says so. The
// error is that of ctx, or an ErrEnded with its cause.
func (in *Inlet) Pull(ctx context.Context, c *Chunk) error { return in.queue.pull(ctx, c) }

// Close ends the stream.
func (in *Inlet) Close() error {
	in.cancel()
	in.done.Wait()
	return nil
}

// follow compares the clocks again and again.
func (in *Inlet) follow(ctx context.Context) {
	defer in.done.Done()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(updateInterval):
		}
		in.compare(ctx, probeInterval)
	}
}

// compare takes a new estimate of the offset where there is one.
func (in *Inlet) compare(ctx context.Context, apart time.Duration) {
	info := in.Info()
	if info.ServicePort == 0 {
		return
	}
	o, err := probe(ctx, netip.AddrPortFrom(info.Address, info.ServicePort), apart)
	if err != nil {
		return
	}
	in.mu.Lock()
	if in.info.UID == info.UID { // the stream did not move meanwhile
		in.offset, in.known = o, true
	}
	in.mu.Unlock()
}

// run takes samples until the inlet is closed or the stream is gone for good.
func (in *Inlet) run(ctx context.Context, conn *connection) {
	defer in.done.Done()
	for {
		err := in.receive(ctx, conn)
		conn.Close()
		if ctx.Err() != nil {
			in.queue.end(ErrEnded)
			return
		}
		if in.Info().SourceID == "" || in.opt.Recover < 0 || isProtocol(err) {
			in.queue.end(fmt.Errorf("%w: %w", ErrEnded, err))
			return
		}
		if in.left == 0 {
			in.left = Clock()
		}
		in.queue.leave()
		if conn, err = in.recover(ctx); err != nil {
			in.queue.end(fmt.Errorf("%w: %w", ErrEnded, err))
			return
		}
	}
}

// receive takes samples until the connection ends.
func (in *Inlet) receive(ctx context.Context, conn *connection) error {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	values, texts := in.codec.buffers()
	interval := 0.0
	if rate := in.Info().Rate; rate > 0 {
		interval = 1 / rate
	}
	for {
		at, stamped, err := in.codec.read(conn.r, values, texts)
		if err != nil {
			return err
		}
		if !stamped {
			if math.IsNaN(in.last) {
				continue // it began amidst a block, whose time went before
			}
			at = in.last + interval
		}
		in.queue.push(in.mark(at, interval), values, texts)
	}
}

// mark finds what a sample of the sender's time has before it, and its time here.
func (in *Inlet) mark(at, interval float64) mark {
	var m mark
	jump := at - in.last - interval
	switch {
	case in.left != 0: // first after the stream was away
		m.begins, in.fresh = true, true
		if interval > 0 && !math.IsNaN(in.last) {
			m.lost = samplesIn(Clock()-in.left, interval)
		}
		in.left = 0
	case interval > 0 && math.Abs(jump) > in.opt.Gap:
		m.begins, in.fresh = true, true
		m.lost = samplesIn(jump, interval)
	}
	in.last = at
	m.at = at
	if in.opt.Raw {
		return m
	}
	o, _ := in.Offset() // zero while it is not known
	if math.Abs(o.Seconds-in.moved) > clockJump {
		in.fresh = true
	}
	in.moved = o.Seconds
	m.at += o.Seconds
	if in.fresh {
		in.smooth, in.fresh = newDejitter(m.at, in.Info().Rate, in.opt.Halftime), false
	}
	m.at = in.smooth.push(m.at)
	return m
}

// clockJump is by how many seconds the offset of a clock may change from one estimate to the
// next; what is more is no drift, and the smoothing of times restarts.
const clockJump = 0.05

// samplesIn is how many samples a span of seconds holds.
func samplesIn(span, interval float64) int64 {
	return int64(max(0, math.Round(min(span/interval, 1e15))))
}
