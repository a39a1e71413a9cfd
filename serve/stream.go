package serve

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"time"

	"rao/internal/format/table"
	"rao/model"
)

// decision is what a listener gets; its JSON names are those of rao stream --json.
type decision struct {
	At          int64     `json:"at"`
	Label       string    `json:"label"`
	Probability float64   `json:"probability"`
	Rejected    bool      `json:"rejected"`
	Outlier     bool      `json:"outlier"`
	LatencyMs   float64   `json:"latency_ms"`
	Posterior   []float64 `json:"posterior"` // in the order of the classes
}

// stream is a decoder and the decisions that it has made of late. Samples come from one
// request at a time; any number may listen.
type stream struct {
	id      string
	entry   *entry
	pushing sync.Mutex // one request of samples at a time
	decoder *model.Decoder
	whole   bool // what comes are observations, not samples of a signal
	width   int  // numbers of a sample, or of an observation
	samples int64
	took    time.Time // when the block at hand came

	mu     sync.Mutex
	ring   []decision // the decision with number k at k modulo its length
	made   int64      // decisions so far
	ended  bool
	change chan struct{} // closed when there is news
	idle   *time.Timer
}

// streams are those that are open.
type streams struct {
	opt Options
	mu  sync.Mutex
	all map[string]*stream
}

func newStreams(opt Options) *streams { return &streams{opt: opt, all: map[string]*stream{}} }

func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

// add takes in a stream, unless there are too many.
func (s *streams) add(st *stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) >= s.opt.MaxStreams {
		return &httpError{http.StatusServiceUnavailable, fmt.Sprintf("%d streams are open; close one", len(s.all))}
	}
	st.idle = time.AfterFunc(s.opt.Idle, func() { s.remove(st.id) })
	s.all[st.id] = st
	return nil
}

func (s *streams) find(id string) (*stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.all[id]
	if st == nil {
		return nil, &httpError{http.StatusNotFound, "there is no such stream; it may have been idle for too long. " +
			"Open one by POST /v1/streams"}
	}
	st.idle.Reset(s.opt.Idle)
	return st, nil
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
	st.mu.Lock()
	defer st.mu.Unlock()
	st.ended = true
	close(st.change)
	return true
}

func (s *streams) closeAll() {
	s.mu.Lock()
	ids := make([]string, 0, len(s.all))
	for id := range s.all {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	for _, id := range ids {
		s.remove(id)
	}
}

// add keeps a decision and tells the listeners.
func (st *stream) add(d decision) {
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

// since copies the decisions from number next on into dst, how many before them are lost,
// whether the stream has ended, and what is closed when there is news.
func (st *stream) since(next int64, dst []decision) (got []decision, lost int64, ended bool, change <-chan struct{}) {
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
	Channels []string `json:"channels"` // names of those that come; nil: the model's in its order
	Rate     float64  `json:"rate"`     // of the samples that come, in hertz; 0: the recipe's
	Step     float64  `json:"step"`     // seconds between decisions; 0: the length of the window
	Adapt    string   `json:"adapt"`    // causal: follow the stream where the model adapts to whole recordings
}

func (s *Server) openStream(w http.ResponseWriter, r *http.Request) error {
	var q openRequest
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&q); err != nil {
		return badRequest("JSON: %v", err)
	}
	e, err := s.models.find(q.Model, "")
	if err != nil {
		return err
	}
	d, err := model.NewDecoder(e.model,
		model.DecoderOptions{Channels: q.Channels, Rate: q.Rate, Step: q.Step, Adapt: q.Adapt})
	if err != nil {
		return err
	}
	var id [12]byte
	rand.Read(id[:])
	st := &stream{id: hex.EncodeToString(id[:]), entry: e, decoder: d, width: d.Width(), whole: d.Width() == 0,
		ring: make([]decision, s.opt.Keep), change: make(chan struct{})}
	if in := e.model.Input; st.whole && in.Kind == model.KindMatrices {
		st.width = in.Dim * in.Dim
	} else if st.whole {
		st.width = in.Dim
	}
	if err := s.streams.add(st); err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated,
		map[string]any{"id": st.id, "model": e.name, "version": e.version, "width": st.width, "observations": st.whole,
			"classes": e.model.Classes, "notes": d.Notes()})
}

// block is the number of samples that are decoded between two looks at the body.
const blockBytes = 64 << 10

// pushSamples takes samples, all channels of one after all of the one before, as long as the
// body lasts. A sample is a line of numbers in JSON's or CSV's manner, or binary numbers.
func (s *Server) pushSamples(w http.ResponseWriter, r *http.Request) error {
	st, err := s.streams.find(r.PathValue("id"))
	if err != nil {
		return err
	}
	if !st.pushing.TryLock() {
		return &httpError{http.StatusConflict, "another request is sending samples to this stream; samples come one " +
			"after the other"}
	}
	defer st.pushing.Unlock()
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return badRequest("Content-Type: %v; send application/x-f64, application/x-f32 or application/x-ndjson", err)
	}
	size := map[string]int{"application/x-f64": 8, "application/x-f32": 4, "application/x-ndjson": 0, "text/csv": 0}
	elem, ok := size[kind]
	if !ok {
		return &httpError{http.StatusUnsupportedMediaType, "Content-Type " + kind + "; send application/x-f64, " +
			"application/x-f32 or application/x-ndjson"}
	}
	before := st.samples
	err = s.pump(r, st, elem)
	if rec, ok := w.(*recorder); ok {
		rec.rows += int(st.samples - before)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, map[string]int64{"samples": st.samples - before})
}

// pump reads the body piece by piece: whole samples are decoded as they come.
func (s *Server) pump(r *http.Request, st *stream, elem int) error {
	buf := make([]byte, 0, blockBytes)
	var values []float64
	for {
		if len(buf) == cap(buf) {
			return badRequest("a sample of more than %d bytes", cap(buf))
		}
		n, err := r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		st.took = time.Now()
		done := errors.Is(err, io.EOF)
		if err != nil && !done {
			return err
		}
		var used int
		var bad error
		if elem == 0 {
			values, used, bad = parseLines(values[:0], buf, st.width, done, st.samples)
		} else {
			values, used = parseBinary(values[:0], buf, elem, st.width)
		}
		if err := s.decode(r, st, values); err != nil {
			return err
		}
		if bad != nil {
			return bad
		}
		buf = buf[:copy(buf, buf[used:])]
		if !done {
			continue
		}
		if len(buf) > 0 {
			return badRequest("the body ends within a sample: %d bytes are left, a sample of %d values takes %d",
				len(buf), st.width, st.width*elem)
		}
		return nil
	}
}

// decode gives the samples to the decoder when the request's turn comes.
func (s *Server) decode(r *http.Request, st *stream, values []float64) error {
	if len(values) == 0 {
		return nil
	}
	leave, err := s.gate.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	if _, err := s.streams.find(st.id); err != nil {
		return err
	}
	st.samples += int64(len(values) / st.width)
	emit := func(d model.Decision) error {
		took := time.Since(st.took)
		p := make([]float64, len(d.LogPosterior))
		for i, v := range d.LogPosterior {
			p[i] = math.Exp(v)
		}
		st.add(decision{d.At, st.entry.model.Classes[d.Label], d.Probability, d.Rejected, d.Outlier,
			float64(took.Microseconds()) / 1e3, p})
		s.metrics.streamed(st.entry.name, took)
		return nil
	}
	if !st.whole {
		return st.decoder.Push(values, emit)
	}
	for ; len(values) > 0; values = values[st.width:] { // observations as they are
		d, err := st.decoder.Observe(values[:st.width])
		if err != nil {
			return err
		}
		if err := emit(d); err != nil {
			return err
		}
	}
	return nil
}

// parseBinary appends the whole samples in buf and returns how many bytes they are.
func parseBinary(dst []float64, buf []byte, elem, width int) ([]float64, int) {
	n := len(buf) / (elem * width) * width
	for i := range n {
		if elem == 4 {
			dst = append(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(buf[4*i:]))))
		} else {
			dst = append(dst, math.Float64frombits(binary.LittleEndian.Uint64(buf[8*i:])))
		}
	}
	return dst, n * elem
}

// parseLines appends the samples of the whole lines in buf; done says that the last needs no
// end of line. sample is the number of the first, for messages.
func parseLines(dst []float64, buf []byte, width int, done bool, sample int64) ([]float64, int, error) {
	used := 0
	for used < len(buf) {
		line, rest, whole := cutLine(buf[used:])
		if !whole && !done {
			break
		}
		used = len(buf) - len(rest)
		if line = trimLine(line); len(line) == 0 {
			continue
		}
		before := len(dst)
		for field := range splitFields(line) {
			v, ok := table.ParseFloat(field)
			if !ok || len(field) == 0 {
				return dst[:before], used, badRequest("sample %d, value %d: %q is no number",
					sample, len(dst)-before, field)
			}
			dst = append(dst, v)
		}
		if len(dst)-before != width {
			return dst[:before], used, badRequest("sample %d has %d values; the stream takes %d",
				sample, len(dst)-before, width)
		}
		sample++
	}
	return dst, used, nil
}

// decisions sends the decisions as server-sent events from the one after Last-Event-ID on,
// or from the next one.
func (s *Server) decisions(w http.ResponseWriter, r *http.Request) error {
	st, err := s.streams.find(r.PathValue("id"))
	if err != nil {
		return err
	}
	next := int64(0)
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < 0 {
			return badRequest("Last-Event-ID is %q; want the number of a decision", last)
		}
		next = n + 1
	}
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	var got []decision
	beat := time.NewTicker(15 * time.Second)
	defer beat.Stop()
	for {
		var lost int64
		var ended bool
		var change <-chan struct{}
		if got, lost, ended, change = st.since(next, got[:0]); lost > 0 {
			s.metrics.gap(st.entry.name, int(lost))
			if _, err := fmt.Fprintf(w, "event: dropped\ndata: {\"dropped\":%d}\n\n", lost); err != nil {
				return nil
			}
			next += lost
		}
		for _, d := range got {
			b, err := json.Marshal(d)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "id: %d\nevent: decision\ndata: %s\n\n", next, b); err != nil {
				return nil // the listener went away
			}
			next++
		}
		if ended {
			fmt.Fprint(w, "event: end\ndata: {}\n\n")
			return nil
		}
		control.SetWriteDeadline(time.Now().Add(30 * time.Second))
		if err := control.Flush(); err != nil {
			return nil
		}
		select {
		case <-change:
		case <-beat.C:
			if _, err := s.streams.find(st.id); err != nil {
				continue
			}
			if _, err := fmt.Fprint(w, ": still here\n\n"); err != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		}
	}
}

func (s *Server) closeStream(w http.ResponseWriter, r *http.Request) error {
	if !s.streams.remove(r.PathValue("id")) {
		return &httpError{http.StatusNotFound, "there is no such stream"}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
