package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rao/internal/decisionrecord"
	"rao/internal/lsl"
	"rao/internal/text"
	"rao/model"
	live "rao/stream"
)

// stream is a decoder with its latest decisions. Only one request at a time sends samples, but any number of requests
// may listen.
type stream struct {
	id       string
	number   int64 // number of streams that were opened earlier
	entry    *entry
	pushing  sync.Mutex // held by the request that sends samples
	decoder  *live.Decoder
	signal   context.CancelFunc // stops receiving the signal; nil if a client sends the samples
	complete bool               // whether each sample is a complete observation
	width    int                // numbers per sample or observation
	samples  int64
	took     time.Time    // when the current block arrived
	touched  atomic.Int64 // when a client last sent or listened, in nanoseconds

	mu     sync.Mutex
	ring   []decisionrecord.Record // decision n is at index n modulo the length
	made   int64                   // number of decisions so far
	ended  bool
	change chan struct{} // closed when a decision is added or the stream ends
	idle   *time.Timer
}

// streams contains the open streams of a server, by identifier.
type streams struct {
	opt    Options
	mu     sync.Mutex
	all    map[string]*stream
	opened int64
}

func newStreams(opt Options) *streams { return &streams{opt: opt, all: map[string]*stream{}} }

func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

// add adds a stream. It returns an error if there are too many.
func (s *streams) add(st *stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) >= s.opt.MaxStreams {
		return &httpError{http.StatusServiceUnavailable, fmt.Sprintf("%d streams are open, which is the limit; "+
			"close one", len(s.all))}
	}
	st.touched.Store(time.Now().UnixNano())
	st.idle = time.AfterFunc(s.opt.Idle, func() { s.expire(st) })
	st.number = s.opened
	s.opened++
	s.all[st.id] = st
	return nil
}

func (s *streams) find(id string) (*stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.all[id]
	if st == nil {
		return nil, errNoStream
	}
	st.touched.Store(time.Now().UnixNano())
	return st, nil
}

var errNoStream = &httpError{http.StatusNotFound,
	"there is no such stream; if it was idle for too long, open another one with POST /v1/streams"}

// expire ends a stream that has been idle for too long. Otherwise it schedules the next check.
func (s *streams) expire(st *stream) {
	left := s.opt.Idle - time.Since(time.Unix(0, st.touched.Load()))
	if left <= 0 {
		s.remove(st.id)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[st.id] == st {
		st.idle.Reset(left)
	}
}

// touch resets the idle time of a stream. It returns an error if the stream has ended. Samples that the server itself
// receives from a signal do not count as activity.
func (st *stream) touch(sampled bool) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.ended {
		return errNoStream
	}
	if !sampled || st.signal == nil {
		st.touched.Store(time.Now().UnixNano())
	}
	return nil
}

// remove ends a stream and reports whether it was open.
func (s *streams) remove(id string) bool {
	s.mu.Lock()
	st := s.all[id]
	delete(s.all, id)
	s.mu.Unlock()
	if st == nil {
		return false
	}
	st.idle.Stop()
	if st.signal != nil {
		st.signal()
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.ended = true
	close(st.change)
	return true
}

func (s *streams) closeAll() {
	s.mu.Lock()
	ids := slices.Collect(maps.Keys(s.all))
	s.mu.Unlock()
	for _, id := range ids {
		s.remove(id)
	}
}

// streamView describes a stream in GET /v1/streams. The names in the JSON are stable.
type streamView struct {
	ID        string `json:"id"`
	Model     string `json:"model"`
	Version   string `json:"version"`
	Width     int    `json:"width"`
	Decisions int64  `json:"decisions"`
}

// list describes the streams in the order in which they were opened.
func (s *streams) list() []streamView {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := slices.SortedFunc(maps.Values(s.all), func(a, b *stream) int { return cmp.Compare(a.number, b.number) })
	views := make([]streamView, len(open))
	for i, st := range open {
		st.mu.Lock()
		views[i] = streamView{st.id, st.entry.name, st.entry.version, st.width, st.made}
		st.mu.Unlock()
	}
	return views
}

func (s *Server) listStreams(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, 200, s.streams.list())
}

// add stores a decision and notifies the listeners.
func (st *stream) add(d decisionrecord.Record) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.ended {
		return
	}
	st.ring[st.made%int64(len(st.ring))] = d
	st.made++
	close(st.change)
	st.change = make(chan struct{})
}

// since appends the decisions from number next on to dst. It also returns how many earlier decisions are no longer
// stored, whether the stream has ended, and a channel that is closed at the next change.
func (st *stream) since(next int64, dst []decisionrecord.Record) (got []decisionrecord.Record, lost int64, ended bool,
	change <-chan struct{}) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if oldest := st.made - int64(len(st.ring)); next < oldest {
		lost, next = oldest-next, oldest
	}
	for ; next < st.made; next++ {
		dst = append(dst, st.ring[next%int64(len(st.ring))])
	}
	return dst, lost, st.ended, st.change
}

// openRequest is the body of POST /v1/streams.
type openRequest struct {
	Model    string   `json:"model"`
	Channels []string `json:"channels"` // names of the channels sent; nil for the channels of the model, in its order
	Units    []string `json:"units"`    // units of the channels, such as uV; nil as in training
	Rate     float64  `json:"rate"`     // samples per second; 0 as in the recipe
	Step     float64  `json:"step"`     // seconds between decisions; 0 for the length of the window
	Signal   string   `json:"signal"`   // query of the LSL stream to decode; empty if a client sends samples
	Adapt    string   `json:"adapt"`    // causal: adapt along the stream, if the model adapts to complete recordings
}

func (s *Server) openStream(w http.ResponseWriter, r *http.Request) error {
	var q openRequest
	body, err := s.readBody(w, r)
	if err != nil {
		return err
	}
	if err := shareOf(w).reserveEach(len(body), 12); err != nil { // enough even for empty strings
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&q); err != nil {
		return badRequest("JSON: %v", text.JSONError(err))
	}
	e, err := s.models.find(q.Model, "")
	if err != nil {
		return err
	}
	opt := live.DecoderOptions{Channels: q.Channels, Units: q.Units, Rate: q.Rate, Step: q.Step}
	opt.Adapt, opt.Watch = model.Adapt(q.Adapt), e.drift
	var in *lsl.Inlet
	if q.Signal != "" {
		if in, err = s.openSignal(r.Context(), q.Signal); err != nil {
			return err
		}
		opt = ofSignal(opt, e.model, in.Info())
		opt.Fault = func(fault *live.SampleError) {
			if !fault.Repeated {
				s.opt.Log.Warn("signal", "model", e.name, "left out", fault.Error())
			}
		}
	}
	decoding := false
	defer func() {
		if in != nil && !decoding {
			in.Close()
		}
	}()
	d, err := live.NewDecoder(e.model, opt)
	if err != nil {
		return err
	}
	var id [12]byte
	rand.Read(id[:])
	st := &stream{id: hex.EncodeToString(id[:]), entry: e, decoder: d, width: d.Width(), complete: d.Width() == 0,
		ring: make([]decisionrecord.Record, s.opt.Keep), change: make(chan struct{})}
	if in := e.model.Input; st.complete && in.Kind == model.KindMatrices {
		st.width = in.Dim * in.Dim
	} else if st.complete {
		st.width = in.Dim
	}
	ctx := context.Background()
	if in != nil {
		if n := in.Info().ChannelCount; n != st.width {
			return badRequest("the signal has %s, but the model needs %d; choose the channels of the training data",
				text.Plural(n, "channel", "channels"), st.width)
		}
		ctx, st.signal = context.WithCancel(ctx)
	}
	if err := s.streams.add(st); err != nil {
		if st.signal != nil {
			st.signal()
		}
		return err
	}
	if in != nil {
		decoding = true
		go s.decodeSignal(ctx, st, in)
	}
	return writeJSON(w, http.StatusCreated,
		map[string]any{"id": st.id, "model": e.name, "version": e.version, "width": st.width,
			"observations": st.complete,
			"classes":      e.model.Classes, "notes": d.Notes()})
}

func (s *Server) closeStream(w http.ResponseWriter, r *http.Request) error {
	if !s.streams.remove(r.PathValue("id")) {
		return &httpError{http.StatusNotFound, "there is no such stream; GET /v1/streams lists the streams"}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
