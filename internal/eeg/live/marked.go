package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"rao/eeg"
	"rao/internal/eeg/format/signal"
	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
	"rao/internal/lsl"
)

// nextLogged waits for the next piece, logs its samples, and returns it with its markers sorted by sample.
func nextLogged(ctx context.Context, signal Signal, log *Log) (Piece, error) {
	p, err := signal.Next(ctx)
	if err != nil {
		return p, err
	}
	slices.SortStableFunc(p.Events, func(a, b eeg.Event) int { return cmp.Compare(a.Sample, b.Sample) })
	return p, log.Samples(p)
}

// InfoOf returns the description of a recording as a live signal.
func InfoOf(rec *eeg.Recording) *Info {
	return &Info{Name: rec.Source, Channels: rec.Channels, Units: rec.Units, Types: rec.Types, Bad: rec.Bad,
		Width: len(rec.Channels), Rate: rec.Rate, Reference: rec.Reference, Samples: rec.Samples()}
}

// marker is a marker that has not been assigned to a sample yet.
type marker struct {
	at   float64
	text string
}

// markedLive delays samples until their markers have arrived.
type markedLive struct {
	signal  Signal
	markers *lsl.Inlet
	width   int
	rate    float64
	late    float64 // delay in seconds
	cancel  context.CancelFunc
	coming  chan marker

	first   int64 // number of the first buffered sample
	values  []float64
	times   []float64
	begins  bool // there is a break before the buffered samples
	lost    int64
	given   int    // number of samples at the start of the buffer that have been returned already
	next    *Piece // next piece, after a break; it is used when the buffer is empty
	ended   bool
	pending []marker
}

// Marked returns a signal with the markers of another stream. It delays samples by late seconds, which is how late a
// marker may arrive.
func Marked(s Signal, markers *lsl.Inlet, info *Info, late float64) Signal {
	ctx, cancel := context.WithCancel(context.Background())
	m := &markedLive{signal: s, markers: markers, width: info.Width, rate: info.Rate, late: late, cancel: cancel,
		coming: make(chan marker, 1024)}
	go m.listen(ctx)
	return m
}

func (m *markedLive) listen(ctx context.Context) {
	channels := m.markers.Info().ChannelCount
	var c lsl.Chunk
	for m.markers.Pull(ctx, &c) == nil {
		for k, at := range c.Times {
			text := ""
			if c.Texts != nil {
				text = ndarray.DecodeText(c.Texts[k*channels])
			} else {
				text = strconv.FormatFloat(c.Values[k*channels], 'g', -1, 64)
			}
			select {
			case m.coming <- marker{at, text}:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Close implements [Signal].
func (m *markedLive) Close() error {
	m.cancel()
	return errors.Join(m.markers.Close(), m.signal.Close())
}

// Next implements [Signal].
func (m *markedLive) Next(ctx context.Context) (Piece, error) {
	m.forget()
	for {
		m.receiveMarkers()
		flush := m.ended || m.next != nil
		if n := m.ready(flush); n > 0 {
			return m.release(n), nil
		}
		switch {
		case m.next != nil:
			m.buffer(*m.next)
			m.next = nil
			continue
		case m.ended:
			return Piece{}, io.EOF
		}
		p, err := m.signal.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			m.ended = true
		case err != nil:
			return Piece{}, err
		case p.Begins && len(m.times) > 0:
			p.Values, p.Times = slices.Clone(p.Values), slices.Clone(p.Times)
			m.next = &p
		default:
			m.buffer(p)
		}
	}
}

// forget removes from the buffer the samples that were returned.
func (m *markedLive) forget() {
	m.values = slices.Delete(m.values, 0, m.given*m.width)
	m.times = slices.Delete(m.times, 0, m.given)
	m.first += int64(m.given)
	m.given = 0
}

// receiveMarkers moves newly arrived markers to the pending markers.
func (m *markedLive) receiveMarkers() {
	for {
		select {
		case k := <-m.coming:
			m.pending = append(m.pending, k)
		default:
			return
		}
	}
}

func (m *markedLive) buffer(p Piece) {
	if p.Begins {
		m.begins, m.lost = true, m.lost+p.Lost
	}
	m.values = append(m.values, p.Values...)
	m.times = append(m.times, p.Times...)
}

// ready returns how many buffered samples have been delayed long enough.
func (m *markedLive) ready(flush bool) int {
	n := len(m.times)
	if flush || n == 0 {
		return n
	}
	limit := m.times[n-1] - m.late
	k, _ := slices.BinarySearch(m.times, limit)
	return k
}

// release returns the first n buffered samples, and all pending markers up to the last buffered sample.
func (m *markedLive) release(n int) Piece {
	p := Piece{Values: m.values[:n*m.width], Times: m.times[:n], Begins: m.begins, Lost: m.lost}
	m.begins, m.lost, m.given = false, 0, n
	m.pending = slices.DeleteFunc(m.pending, func(k marker) bool {
		sample, ok := m.sampleAt(k.at)
		if ok {
			p.Events = append(p.Events, eventOf(int(sample), k.text))
		}
		return ok
	})
	return p
}

// sampleAt returns the sample nearest to a time. ok is false if it has not arrived yet.
func (m *markedLive) sampleAt(t float64) (sample int64, ok bool) {
	last := len(m.times) - 1
	if t > m.times[last]+0.5/m.rate {
		return 0, false
	}
	if t < m.times[0] {
		return m.first - int64(math.Round((m.times[0]-t)*m.rate)), true
	}
	k, _ := slices.BinarySearch(m.times, t)
	if k > last || k > 0 && t-m.times[k-1] < m.times[k]-t {
		k--
	}
	return m.first + int64(k), true
}

// eventOf converts the text of a marker to an event.
func eventOf(sample int, text string) eeg.Event {
	text = strings.TrimSpace(text)
	return eeg.Event{Sample: sample, Label: text, Code: signal.Code(text)}
}

// MarkerText returns the label of an event, or the code of an event without a label.
func MarkerText(e eeg.Event) string {
	if e.Label == "" {
		return strconv.Itoa(e.Code)
	}
	return e.Label
}

// Recorded returns a recording as a signal. The events of the recording are its markers.
func Recorded(rec *eeg.Recording) Signal { return &markedRecording{rec: rec} }

type markedRecording struct {
	rec   *eeg.Recording
	at    int
	buf   []float64
	times []float64
}

// Close implements [Signal].
func (r *markedRecording) Close() error { return r.rec.Close() }

// Next implements [Signal]. It returns up to one second at a time. All markers up to the next break come
// with the first block after a break.
func (r *markedRecording) Next(ctx context.Context) (p Piece, err error) {
	if err := ctx.Err(); err != nil {
		return p, err
	}
	left := r.rec.Samples() - r.at
	if left == 0 {
		return p, io.EOF
	}
	n := min(left, max(1, int(r.rec.Rate)))
	end := r.rec.Samples()
	p.Begins = slices.Contains(r.rec.Breaks, r.at)
	for _, b := range r.rec.Breaks {
		if b > r.at {
			end = b
			break
		}
	}
	n = min(n, end-r.at)
	if p.Begins || r.at == 0 {
		for _, e := range r.rec.Events {
			if r.at <= e.Sample && e.Sample < end {
				p.Events = append(p.Events, e)
			}
		}
	}
	vec.Room(&r.buf, n*len(r.rec.Channels))
	r.times = r.times[:0]
	for k := range n {
		r.times = append(r.times, float64(r.at+k)/r.rec.Rate)
	}
	p.Values, p.Times = r.buf, r.times
	err = r.rec.Read(p.Values, r.at, n)
	r.at += n
	if err != nil {
		err = fmt.Errorf("%s: %w", r.rec.Source, err)
	}
	return p, err
}
