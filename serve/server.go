package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"rao/lsl"
)

// Options bound what a server does. The zero value has good defaults.
type Options struct {
	Version string // of the program, as it is told to clients

	MaxBody int64 // bytes of a request; default 64 MiB
	MaxRows int   // observations of a request; default 1 << 20

	// MaxMemory is how many bytes requests may hold together: bodies as far as they have come,
	// the numbers in them, and answers; default 1 GiB. A request that finds too little gets
	// status 503, and one that could never have enough gets 413. What the garbage collector
	// has not freed yet comes on top; debug.SetMemoryLimit bounds that.
	MaxMemory int64

	// Workers is the number of requests that compute at a time, default GOMAXPROCS, and
	// Queue that of requests that wait for their turn, default 64 for each worker. A request
	// that finds the queue full, or waits longer than Wait (default 2 s), gets status 503.
	Workers, Queue int
	Wait           time.Duration

	MaxStreams int           // default 2000
	Idle       time.Duration // after which a stream without samples or listeners ends; default 5 min
	Keep       int           // decisions that a stream keeps for slow and returning listeners; default 1024

	// Patience is the time that a client has to send a body, and to take an answer; default
	// 2 min. Streams have Idle.
	Patience time.Duration

	// Results are files that rao compare --json wrote, and folders of such files; Replays are
	// recordings as text, a sample a line. The page shows the ones and offers the others.
	Results, Replays []string

	// Signals, when not nil, says where streams of Lab Streaming Layer are looked for, which
	// requests may then ask to be decoded.
	Signals *lsl.ResolveOptions

	// Hosts, when not empty, are the names that requests may be sent to, without a port. A
	// page of another site can make its own name mean this machine, and would otherwise be
	// taken for a page of this server.
	Hosts []string
	// Token, when not empty, is required of every request but /healthz and /v2/health/live,
	// as "Authorization: Bearer TOKEN".
	Token string
	// Update allows POST /v1/models/{model}/update, which changes the model in memory.
	Update bool

	Log *slog.Logger // a line for every request; nil for none
}

func (o Options) withDefaults() Options {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 64 << 20
	}
	if o.MaxMemory <= 0 {
		o.MaxMemory = 1 << 30
	}
	if o.Wait <= 0 {
		o.Wait = 2 * time.Second
	}
	if o.Idle <= 0 {
		o.Idle = 5 * time.Minute
	}
	if o.Patience <= 0 {
		o.Patience = 2 * time.Minute
	}
	def(&o.MaxRows, 1<<20)
	def(&o.Workers, runtime.GOMAXPROCS(0))
	def(&o.Queue, 64*o.Workers)
	def(&o.MaxStreams, 2000)
	def(&o.Keep, 1024)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Server answers requests. It may be used by several goroutines.
type Server struct {
	opt     Options
	models  *Repository
	routes  http.Handler
	origins *http.CrossOriginProtection
	gate    gate
	metrics *metrics
	streams *streams
	memory  memory
}

// New returns a server of the models.
func New(models *Repository, opt Options) *Server {
	opt = opt.withDefaults()
	s := &Server{opt: opt, models: models, gate: newGate(opt.Workers, opt.Queue, opt.Wait), metrics: newMetrics(),
		streams: newStreams(opt), origins: http.NewCrossOriginProtection()}
	s.memory.most = opt.MaxMemory
	mux := http.NewServeMux()
	handle := func(pattern string, h func(http.ResponseWriter, *http.Request) error) {
		mux.Handle(pattern, s.answer(pattern, h))
	}
	handle("GET /v2", s.serverMetadata)
	handle("GET /v2/{$}", s.serverMetadata)
	handle("GET /v2/health/live", s.live)
	handle("GET /v2/health/ready", s.ready)
	handle("GET /healthz", s.healthz)
	handle("POST /v2/repository/index", s.index)
	for _, m := range []string{"/v2/models/{model}", "/v2/models/{model}/versions/{version}"} {
		handle("GET "+m, s.modelMetadata)
		handle("GET "+m+"/ready", s.modelReady)
		handle("POST "+m+"/infer", s.infer)
	}
	handle("POST /v1/models/{model}/predict", s.predict)
	handle("POST /v1/models/{model}/explain", s.explain)
	handle("POST /v1/models/{model}/update", s.update)
	handle("GET /v1/models/{model}/card", s.card)
	handle("GET /v1/models/{model}/drift", s.showDrift)
	handle("GET /v1/signals", s.listSignals)
	handle("GET /v1/streams", s.listStreams)
	handle("POST /v1/streams", s.openStream)
	handle("POST /v1/streams/{id}/samples", s.pushSamples)
	handle("GET /v1/streams/{id}/decisions", s.decisions)
	handle("GET /v1/streams/{id}/ws", s.socket)
	handle("DELETE /v1/streams/{id}", s.closeStream)
	handle("GET /v1/results", s.results)
	handle("GET /v1/replays", s.replays)
	handle("GET /v1/replays/{number}", s.replay)
	handle("GET /metrics", s.showMetrics)
	s.page(mux)
	handle("/", s.unknown)
	s.routes = mux
	return s
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

// Close ends all streams; their listeners are told.
func (s *Server) Close() { s.streams.closeAll() }

// httpError is an error with its status.
type httpError struct {
	status int
	text   string
}

func (e *httpError) Error() string { return e.text }

func badRequest(format string, a ...any) error {
	return &httpError{http.StatusBadRequest, fmt.Sprintf(format, a...)}
}

// statusOf is the status of an error: that of a request that cannot be answered, unless it
// says otherwise.
func statusOf(err error) int {
	var h *httpError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &h):
		return h.status
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout
	}
	return http.StatusBadRequest
}

// answer is what every request passes through: the token, bounds, the count and the log. A
// panic is status 500 and ends nothing but the request.
func (s *Server) answer(pattern string, h func(http.ResponseWriter, *http.Request) error) http.Handler {
	open := strings.HasSuffix(pattern, "/healthz") || strings.HasSuffix(pattern, "/live")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w, patience: s.opt.Patience, share: share{of: &s.memory},
			unread: r.Body != http.NoBody}
		defer rec.share.release()
		var err error
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				s.logPanic(r.URL.Path, p)
				err = &httpError{http.StatusInternalServerError, "this request met a defect of the server; its log " +
					"says where"}
			}
			if err != nil {
				rec.fail(err)
			}
			took := time.Since(start)
			name := r.PathValue("model")
			if !s.models.has(name) {
				name = "" // names come from outside, and counts are kept for ever
			}
			s.metrics.request(name, pattern, rec.code(), took, rec.rows)
			if s.opt.Log.Enabled(r.Context(), slog.LevelInfo) {
				s.opt.Log.Info("request", "method", r.Method, "path", r.URL.Path, "status", rec.code(), "ms",
					float64(took.Microseconds())/1e3, "rows", rec.rows, "from", r.RemoteAddr)
			}
		}()
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if rec.unread {
			http.NewResponseController(w).SetReadDeadline(start.Add(s.opt.Patience)) // not every writer has one
		}
		if err = s.admit(r, open); err != nil {
			if statusOf(err) == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			return
		}
		if rec.unread {
			r.Body = http.MaxBytesReader(w, r.Body, s.opt.MaxBody)
		}
		err = h(rec, r)
	})
}

func (s *Server) logPanic(where string, p any) {
	s.opt.Log.Error("panic", "path", where, "what", fmt.Sprint(p), "stack", string(debug.Stack()))
}

// admit returns an error for a request to a name that is not the server's, from a page of
// another site, or without the token where one is needed.
func (s *Server) admit(r *http.Request, open bool) error {
	if len(s.opt.Hosts) > 0 && !open && !slices.Contains(s.opt.Hosts, hostName(r.Host)) {
		return &httpError{http.StatusMisdirectedRequest,
			fmt.Sprintf("this server does not answer under the name %q; it answers under %s", hostName(r.Host),
				strings.Join(s.opt.Hosts, ", "))}
	}
	if err := s.origins.Check(r); err != nil {
		return &httpError{http.StatusForbidden, "a page of another site may not send this request"}
	}
	if open || s.opt.Token == "" {
		return nil
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		given, ok = socketToken(r)
	}
	// of digests, so that the time says nothing of the length either
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.opt.Token))
	if !ok || subtle.ConstantTimeCompare(a[:], b[:]) != 1 {
		return &httpError{http.StatusUnauthorized, "a token is needed: send the header Authorization: Bearer TOKEN"}
	}
	return nil
}

// hostName is the name in a Host header, without port and brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status   int
	rows     int // observations decided on
	share    share
	unread   bool // there is a body, and it was not read to its end
	patience time.Duration
}

// begin notes the status; from here on the client has its time to take the answer.
func (r *recorder) begin(status int) {
	if r.status != 0 {
		return
	}
	r.status = status
	if r.patience > 0 {
		http.NewResponseController(r.ResponseWriter).SetWriteDeadline(time.Now().Add(r.patience))
	}
}

func (r *recorder) WriteHeader(status int) {
	r.begin(status)
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.begin(http.StatusOK)
	return r.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController the writer beneath.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) code() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// fail answers with an error, unless an answer has begun.
func (r *recorder) fail(err error) {
	if r.status != 0 {
		return
	}
	status := statusOf(err)
	text := err.Error()
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		text = fmt.Sprintf("the body is longer than %d bytes; send fewer observations at a time", large.Limit)
	}
	if status == http.StatusRequestTimeout {
		text = fmt.Sprintf("the body did not come within %v", r.patience)
	}
	if r.unread {
		r.Header().Set("Connection", "close") // the answer does not wait for the rest of the body
	}
	if status == http.StatusServiceUnavailable {
		r.Header().Set("Retry-After", "1")
	}
	writeJSON(r, status, map[string]string{"error": text})
}

// writeJSON answers with one JSON value.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return &httpError{http.StatusInternalServerError, err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err = w.Write(append(b, '\n'))
	return err
}

func (s *Server) unknown(_ http.ResponseWriter, r *http.Request) error {
	return &httpError{http.StatusNotFound,
		fmt.Sprintf("there is no %s %s here; GET /v2 says what there is", r.Method, r.URL.Path)}
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := w.Write([]byte("ok\n"))
	return err
}
