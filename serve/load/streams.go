package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"rao/internal/serve/testsignal"
	"rao/serve"
)

// StreamLoad describes live signals that are sent to a server, each over its own WebSocket and at the speed of an
// amplifier.
type StreamLoad struct {
	URL      string // address of the server
	Model    string
	Streams  int
	Rate     float64   // samples per second
	Channels int       // values per sample
	Block    int       // samples per message
	Window   int       // samples per window
	Step     int       // samples between decisions
	Values   []float64 // values of the samples, which are sent repeatedly
	Duration time.Duration
}

// StreamReport is the result of a load of streams. The latency of a decision is measured from the time when the last
// sample of its window is due until the client receives the decision. The names in the JSON are stable.
type StreamReport struct {
	Streams          int           `json:"streams"`
	Decisions        int           `json:"decisions"`
	Missing          int           `json:"missing"` // expected decisions that did not arrive
	Errors           int           `json:"errors"`  // streams that ended early
	Failure          string        `json:"failure,omitempty"`
	SamplesPerSecond float64       `json:"samples_per_second"`
	Median           time.Duration `json:"median_ns"`
	P99              time.Duration `json:"p99_ns"`
	Max              time.Duration `json:"max_ns"`
	HeapBytes        uint64        `json:"heap_bytes"` // heap of this process at the end
}

// grace is how long the load waits for decisions after the last sample.
const grace = 2 * time.Second

// Run opens the streams, sends the signals until the time is up or ctx is done, and closes the streams. The start times
// of the streams are spread evenly over one step, because real users do not start at the same time.
func (l *StreamLoad) Run(ctx context.Context) (*StreamReport, error) {
	if min(l.Streams, l.Block, l.Step, l.Channels) < 1 || !(l.Rate > 0) || len(l.Values) < l.Channels*l.Block {
		return nil, errors.New("a load of streams needs at least one stream, a rate, and a block of samples")
	}
	blocks := l.blocks()
	all := make([]*liveStream, l.Streams)
	defer func() {
		for _, s := range all {
			if s != nil {
				s.close(l)
			}
		}
	}()
	for i := range all {
		var err error
		if all[i], err = l.open(ctx); err != nil {
			return nil, fmt.Errorf("stream %d of %d: %w", i+1, l.Streams, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, l.Duration)
	defer cancel()
	begin := time.Now().Add(50 * time.Millisecond)
	var running sync.WaitGroup
	for i, s := range all {
		spread := float64(i) / float64(l.Streams) * float64(l.Step) / l.Rate
		s.start = begin.Add(time.Duration(spread * float64(time.Second)))
		running.Go(func() { s.send(ctx, l, blocks) })
		running.Go(func() { s.receive(l) })
	}
	running.Wait()
	return l.report(all, time.Since(begin)), nil
}

// blocks returns the messages, which are sent repeatedly.
func (l *StreamLoad) blocks() [][]byte {
	size := l.Block * l.Channels
	blocks := make([][]byte, len(l.Values)/size)
	for k := range blocks {
		for _, v := range l.Values[k*size : (k+1)*size] {
			blocks[k] = binary.LittleEndian.AppendUint32(blocks[k], math.Float32bits(float32(v)))
		}
	}
	return blocks
}

// due returns the time from the start until a sample is due.
func (l *StreamLoad) due(sample int64) time.Duration {
	return time.Duration(float64(sample) / l.Rate * float64(time.Second))
}

// liveStream is an open stream with its WebSocket, the number of samples sent, and the latencies of its decisions.
type liveStream struct {
	id      string
	conn    *websocket.Conn
	start   time.Time
	sent    atomic.Int64 // number of samples sent
	latency []time.Duration
	sending error
	hearing error
}

func (l *StreamLoad) open(ctx context.Context) (*liveStream, error) {
	body, err := json.Marshal(map[string]any{"model": l.Model, "rate": l.Rate, "step": float64(l.Step) / l.Rate})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, "POST", l.URL+"/v1/streams", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusCreated {
		return nil, fmt.Errorf("the server answered with status %d (%s); check its log, or open fewer streams",
			resp.StatusCode, bytes.TrimSpace(b))
	}
	var opened struct {
		ID    string
		Width int
	}
	if err := json.Unmarshal(b, &opened); err != nil {
		return nil, err
	}
	if opened.Width != l.Channels {
		return nil, fmt.Errorf("the model needs %d channels, but %d are sent", opened.Width, l.Channels)
	}
	s := &liveStream{id: opened.ID}
	s.conn, _, err = websocket.Dial(ctx, l.URL+"/v1/streams/"+s.id+"/ws", nil)
	return s, err
}

// send sends each block when its last sample is due.
func (s *liveStream) send(ctx context.Context, l *StreamLoad, blocks [][]byte) {
	wake := time.NewTimer(0)
	defer wake.Stop()
	for k := 0; ; k++ {
		wake.Reset(time.Until(s.start.Add(l.due(int64((k + 1) * l.Block)))))
		select {
		case <-wake.C:
		case <-ctx.Done():
			// wait for the last decisions
			time.Sleep(grace)
			s.conn.Close(websocket.StatusNormalClosure, "")
			return
		}
		block := blocks[k%len(blocks)]
		if s.sending = s.conn.Write(context.Background(), websocket.MessageBinary, block); s.sending != nil {
			return
		}
		s.sent.Add(int64(l.Block))
	}
}

// receive records the latency of each decision.
func (s *liveStream) receive(l *StreamLoad) {
	for {
		_, msg, err := s.conn.Read(context.Background())
		if err != nil {
			if websocket.CloseStatus(err) != websocket.StatusNormalClosure {
				s.hearing = err
			}
			return
		}
		now := time.Now()
		var e struct {
			Event string
			At    int64
			Error string
		}
		switch err := json.Unmarshal(msg, &e); {
		case err != nil:
			s.hearing = err
			return
		case e.Event == "decision":
			block := (e.At + int64(l.Block) - 1) / int64(l.Block) * int64(l.Block) // a window may end inside a block
			s.latency = append(s.latency, now.Sub(s.start.Add(l.due(block))))
		case e.Event == "error":
			s.hearing = errors.New(e.Error)
			return
		}
	}
}

// close closes the connection and ends the stream on the server.
func (s *liveStream) close(l *StreamLoad) {
	s.conn.CloseNow()
	req, err := http.NewRequest("DELETE", l.URL+"/v1/streams/"+s.id, nil)
	if err != nil {
		return
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
	}
}

func (l *StreamLoad) report(all []*liveStream, took time.Duration) *StreamReport {
	r := &StreamReport{Streams: len(all)}
	var sorted []time.Duration
	samples := int64(0)
	for _, s := range all {
		sorted = append(sorted, s.latency...)
		samples += s.sent.Load()
		if n := s.sent.Load(); n >= int64(l.Window) {
			r.Missing += int((n-int64(l.Window))/int64(l.Step)) + 1 - len(s.latency)
		}
		if err := errors.Join(s.sending, s.hearing); err != nil {
			r.Errors++
			r.Failure = err.Error()
		}
	}
	slices.Sort(sorted)
	if r.Decisions = len(sorted); r.Decisions > 0 {
		r.Median, r.P99, r.Max = sorted[r.Decisions/2], sorted[r.Decisions*99/100], sorted[r.Decisions-1]
	}
	r.SamplesPerSecond = float64(samples) / (took - grace).Seconds()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	r.HeapBytes = mem.HeapInuse
	return r
}

// benchStreams sends live signals to a server with a model of such signals.
func benchStreams(ctx context.Context, streams int, each time.Duration) (*StreamReport, error) {
	m, err := testsignal.Model(ctx)
	if err != nil {
		return nil, err
	}
	s, err := served(m, serve.Options{MaxStreams: streams})
	if err != nil {
		return nil, err
	}
	defer s.done()
	l := StreamLoad{URL: s.url, Model: "model", Streams: streams, Rate: testsignal.Rate, Channels: testsignal.Channels,
		Block:  10,
		Window: testsignal.Window * testsignal.Rate, Step: testsignal.Rate / 5,
		Duration: each + testsignal.Window*time.Second,
		Values:   testsignal.Samples(rand.New(rand.NewPCG(2, 2)), 20*testsignal.Rate, 0)}
	r, err := l.Run(ctx)
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}

func (r *StreamReport) print(w io.Writer) {
	fmt.Fprintln(w,
		"streams\tsamples per second\tdecisions\tmissing\tmedian, ms\tp99, ms\tlongest, ms\terrors\theap, MiB")
	fmt.Fprintf(w, "%d\t%.0f\t%d\t%d\t%s\t%s\t%s\t%d\t%d\n", r.Streams, r.SamplesPerSecond, r.Decisions, r.Missing,
		milliseconds(r.Median), milliseconds(r.P99), milliseconds(r.Max), r.Errors, r.HeapBytes>>20)
	if r.Failure != "" {
		fmt.Fprintf(w, "one of the errors: %s\n", r.Failure)
	}
}
