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

// InletOptions are the options of [Open]. With the zero value, an inlet converts times to [Clock], removes jitter, and
// reconnects to a lost stream.
type InletOptions struct {
	// Raw leaves the sender's time stamps unchanged.
	Raw bool
	// Halftime is the half-time in seconds for smoothing times; 0 means 90, as in the reference library.
	Halftime float64
	// Buffer is the size of the buffer for samples that have not been pulled, in seconds for a regular stream, or in
	// hundreds of samples for others; 0 means 60. If the buffer is full, the oldest samples are dropped and counted as
	// lost.
	Buffer float64
	// Gap is the largest jump, in seconds, in the times of a regular stream. After a longer jump the signal restarts.
	// 0 means half a second.
	Gap float64
	// Recover is how long to search for a lost stream by its source_id. 0 means forever, and a negative value turns the
	// search off. Streams without a source_id are never searched for.
	Recover time.Duration
	// Peers are hosts on which to search for a lost stream, in addition to the hosts that [Resolve] reaches.
	Peers []string
	// Silence is the time without a sample after which a regular stream counts as lost; 0 means 15 s.
	Silence time.Duration
}

// Chunk is a series of contiguous samples of a stream.
type Chunk struct {
	Times  []float64 // time of each sample on [Clock], or on the sender's clock if it is raw or the offset is unknown
	Values []float64 // samples × channels; nil for texts
	Texts  []string  // samples × channels; nil for numbers
	// Begins is true if the first sample is not contiguous with the previous one, because of a gap, a full buffer or
	// a lost stream.
	Begins bool
	// Lost is the number of samples lost just before this chunk. If the stream itself was lost, the number is
	// estimated from the clock.
	Lost int64
	// Away is true if the stream was lost and is being searched for. Such a chunk has no samples.
	Away bool
}

// Len returns the number of samples.
func (c *Chunk) Len() int { return len(c.Times) }

// ErrEnded means that a stream has ended and cannot be found again.
var ErrEnded = errors.New("the stream has ended")

// Inlet receives the samples of a stream. Pull and Close may be called from different goroutines. Only one goroutine
// may call Pull at a time.
type Inlet struct {
	opt    InletOptions
	queue  *queue
	cancel context.CancelFunc
	done   sync.WaitGroup
	codec  *codec
	smooth dejitter
	fresh  bool    // smoothing restarts with the next sample
	last   float64 // original time stamp of the last sample; NaN before the first
	moved  float64 // offset that was added to it
	left   float64 // time on [Clock] when the stream was lost; 0 if it is connected

	mu     sync.Mutex
	info   Info
	offset Offset
	known  bool // offset is known
}

// Open connects to a stream that [Resolve] found, and returns once the stream is ready to send. ctx is used only
// until Open returns; call Close to disconnect.
func Open(ctx context.Context, info Info, opt InletOptions) (*Inlet, error) {
	if err := info.Validate(); err != nil {
		return nil, err
	}
	if !info.Address.IsValid() || info.DataPort == 0 {
		return nil, fmt.Errorf("the stream %q has no address; open a stream that was found in a search", info.Name)
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

// samples returns the capacity of the buffer in samples. The buffer has at most 2 GiB.
func (in *Inlet) samples() int {
	rate := cmp.Or(in.info.Rate, 100)
	return int(max(64, min(in.opt.Buffer*rate, float64(1<<28/in.info.ChannelCount))))
}

// Info returns the description of the stream, including its channels.
func (in *Inlet) Info() Info {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.info
}

// Offset returns the difference between the sender's clock and [Clock]. ok is false if the sender's clock does not
// reply; times are then on the sender's clock.
func (in *Inlet) Offset() (o Offset, ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.offset, in.known
}

// Pull waits for samples and moves all available samples to c. It reuses the slices of c. When the stream is lost, it
// returns a chunk with Away set and no samples. It returns the error of ctx, or an error that wraps ErrEnded and the
// cause.
func (in *Inlet) Pull(ctx context.Context, c *Chunk) error { return in.queue.pull(ctx, c) }

// Close disconnects from the stream.
func (in *Inlet) Close() error {
	in.cancel()
	in.done.Wait()
	return nil
}

// follow compares the clocks repeatedly.
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

// compare updates the estimate of the clock offset, if the sender's clock replies.
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
	if in.info.UID == info.UID { // the stream has not been replaced in the meantime
		in.offset, in.known = o, true
	}
	in.mu.Unlock()
}

// run receives samples until the inlet is closed or the stream is lost for good.
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
				continue // the connection began within a block, before any time stamp
			}
			at = in.last + interval
		}
		in.queue.push(in.mark(at, interval), values, texts)
	}
}

// mark describes a sample with the time stamp at: how many samples were lost before it, and its time on [Clock].
func (in *Inlet) mark(at, interval float64) mark {
	var m mark
	jump := at - in.last - interval
	switch {
	case in.left != 0: // first sample after the stream was lost
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
	o, _ := in.Offset() // zero if it is unknown
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

// clockJump is the largest change of a clock offset between two estimates, in seconds, that counts as drift. After a
// larger change, the smoothing of times restarts.
const clockJump = 0.05

// samplesIn returns the number of samples in a span of seconds.
func samplesIn(span, interval float64) int64 {
	return int64(max(0, math.Round(min(span/interval, 1e15))))
}
