package serve

import (
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
	"sync/atomic"
	"time"
)

// Options set the limits of a server. The zero value has good defaults.
type Options struct {
	Version string // version of the program that clients see
	Commit  string // commit of the program; may be empty

	MaxBody int64 // limit for the bytes of a request; default 64 MiB
	MaxRows int   // limit for the observations of a request; default 1 << 20

	// MaxMemory limits the total memory of all requests, in bytes; default 1 GiB. This memory holds received bodies,
	// the numbers in them, and answers. A request gets status 503 if too little is free, and 413 if it needs more than
	// MaxMemory. Memory that the garbage collector has not freed yet is not counted; debug.SetMemoryLimit limits it.
	MaxMemory int64

	// Workers is the number of requests that compute concurrently; default GOMAXPROCS. Queue is the number of waiting
	// requests; default 64 per worker. A request gets status 503 if the queue is full, or if the request waits longer
	// than Wait (default 2 s).
	Workers, Queue int
	Wait           time.Duration

	MaxStreams int           // limit for open streams; default 2000
	Idle       time.Duration // time after which a stream without samples or listeners ends; default 5 min
	Keep       int           // decisions stored per stream for slow and returning listeners; default 1024

	// Patience is the time limit for sending a body and for receiving an answer; default 2 min. Idle is used for
	// streams instead.
	Patience time.Duration

	// Results are files from rao compare --json, and folders of such files, that the page shows. Replays are recordings
	// that the page offers for replay. They are text files with one sample per line.
	Results, Replays []string

	// Signals controls which Lab Streaming Layer streams a request may decode: "local" for streams of this machine,
	// "network" for streams of the local network, "" for none.
	Signals string

	// Hosts, if not empty, lists the host names that requests may use, without a port. This protects against pages of
	// other sites whose name resolves to this machine (DNS rebinding).
	Hosts []string
	// Tokens, if not empty, contains the accepted secrets, each with a name for the log, which may be empty. Every
	// request except health probes must then send a secret, as "Authorization: Bearer SECRET". Secrets are printable
	// ASCII characters without spaces.
	Tokens map[string]string
	// Rate, if positive, is the number of requests per second that each token may send. More requests get status 429.
	Rate float64
	// ClientCertificates requires a verified client certificate, except for health probes. The TLS configuration must
	// request certificates.
	ClientCertificates bool
	// Origins are the web sites whose pages may send requests, in the form "https://example.org".
	Origins []string
	// Update allows POST /v1/models/{model}/update, which changes the model in memory.
	Update bool

	Log *slog.Logger // receives a line per request; may be nil
}

// byDefault sets an option that is not above 0.
func byDefault[T int | int64 | time.Duration](option *T, value T) {
	if *option <= 0 {
		*option = value
	}
}

func (o Options) withDefaults() Options {
	byDefault(&o.MaxBody, 64<<20)
	byDefault(&o.MaxMemory, 1<<30)
	byDefault(&o.Wait, 2*time.Second)
	byDefault(&o.Idle, 5*time.Minute)
	byDefault(&o.Patience, 2*time.Minute)
	byDefault(&o.MaxRows, 1<<20)
	byDefault(&o.Workers, runtime.GOMAXPROCS(0))
	byDefault(&o.Queue, 64*o.Workers)
	byDefault(&o.MaxStreams, 2000)
	byDefault(&o.Keep, 1024)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Server is an http.Handler that answers requests with the models of a [Repository]. It is safe for concurrent use.
type Server struct {
	opt     Options
	models  *Repository
	routes  *http.ServeMux
	access  access
	drained atomic.Bool // Drain was called
	origins *http.CrossOriginProtection
	gate    gate
	metrics *metrics
	streams *streams
	memory  memory
}

// New returns a server for the models of a repository. It ignores entries of opt.Origins that are not valid origins.
func New(models *Repository, opt Options) *Server {
	opt = opt.withDefaults()
	s := &Server{opt: opt, models: models, gate: newGate(opt.Workers, opt.Queue, opt.Wait), metrics: newMetrics(),
		streams: newStreams(opt), origins: http.NewCrossOriginProtection()}
	s.memory.most = opt.MaxMemory
	s.access.perSecond = opt.Rate
	s.setTokens(opt.Tokens)
	for _, o := range opt.Origins {
		s.origins.AddTrustedOrigin(o) // ListenAndServe has already reported invalid origins
	}
	mux := http.NewServeMux()
	for _, r := range s.served() {
		mux.Handle(r.pattern, s.answer(r.pattern, r.answer))
	}
	s.page(mux)
	mux.Handle("/", s.answer("/", s.unknown))
	s.routes = mux
	return s
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.crossOrigin(w, r) {
		s.routes.ServeHTTP(w, r)
	}
}

// Drain makes the readiness probe return 503, so load balancers send no new requests. The server still answers
// requests.
func (s *Server) Drain() { s.drained.Store(true) }

// Close ends all streams and their listeners.
func (s *Server) Close() { s.streams.closeAll() }

type httpError struct {
	status int
	text   string
}

func (e *httpError) Error() string { return e.text }

func badRequest(format string, a ...any) error {
	return &httpError{http.StatusBadRequest, fmt.Sprintf(format, a...)}
}

// statusOf returns the HTTP status of an error, which is 400 unless the error defines another one.
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

// answer wraps the handler of a route. It checks the token and the limits, and counts and logs the request. A panic
// gives status 500 and ends only this request.
func (s *Server) answer(pattern string, h func(http.ResponseWriter, *http.Request) error) http.Handler {
	level, protocol := slog.LevelInfo, protocolOf(pattern)
	if probe(pattern) {
		level = slog.LevelDebug
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w, patience: s.opt.Patience, share: share{of: &s.memory},
			unread: r.Body != http.NoBody, id: requestID(r)}
		defer rec.share.release()
		var from *client
		var err error
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				s.logPanic(r.URL.Path, rec.id, p)
				err = &httpError{http.StatusInternalServerError,
					"the server has a bug that this request triggers; the log of the server describes it"}
			}
			if err != nil {
				rec.fail(err)
			}
			took := time.Since(start)
			name := s.models.nameOf(r.PathValue("model")) // clients must not be able to add counts for unknown names
			s.metrics.request(answerKind{name, pattern, rec.code()}, protocol, took, rec.rows)
			if s.opt.Log.Enabled(r.Context(), level) {
				line := []any{"id", rec.id, "method", r.Method, "path", r.URL.Path, "status", rec.code(), "ms",
					float64(took.Microseconds()) / 1e3, "rows", rec.rows, "from", r.RemoteAddr}
				if trace := traceID(r); trace != "" {
					line = append(line, "trace", trace)
				}
				if from != nil && from.name != "" {
					line = append(line, "client", from.name)
				}
				if err != nil {
					line = append(line, "error", err.Error())
				}
				s.opt.Log.Log(r.Context(), level, "request", line...)
			}
		}()
		head := w.Header()
		head[headerNoSniff], head[headerID] = noSniff, []string{rec.id}
		if rec.unread {
			http.NewResponseController(w).SetReadDeadline(start.Add(s.opt.Patience)) // may fail
		}
		if from, err = s.admit(w, r, public(pattern)); err != nil {
			if statusOf(err) == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			return
		}
		rec.admitted = from != nil || !s.access.needsToken()
		if rec.unread {
			if r.ContentLength > s.opt.MaxBody {
				err = &http.MaxBytesError{Limit: s.opt.MaxBody}
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, s.opt.MaxBody)
		}
		err = h(rec, r)
	})
}

func (s *Server) logPanic(where, id string, p any) {
	s.opt.Log.Error("panic", "id", id, "path", where, "what", fmt.Sprint(p), "stack", string(debug.Stack()))
}

// admit returns the sender of a request, or nil if no token is required. It returns an error if the host name is not
// accepted, the request comes from a page of another site, a required token or certificate is missing, or the rate
// limit of the token is exceeded. A public route needs neither a token nor a certificate.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, public bool) (*client, error) {
	if len(s.opt.Hosts) > 0 && !public && !slices.Contains(s.opt.Hosts, hostName(r.Host)) {
		return nil, &httpError{http.StatusMisdirectedRequest,
			fmt.Sprintf("this server does not accept requests to the name %q; use %s", hostName(r.Host),
				strings.Join(s.opt.Hosts, ", "))}
	}
	if err := s.origins.Check(r); err != nil {
		return nil, &httpError{http.StatusForbidden, "pages of this site may not send requests; the server must " +
			"allow the origin"}
	}
	var from *client
	if s.access.needsToken() {
		from = s.access.clientOf(r)
	}
	if public {
		return from, nil
	}
	if s.opt.ClientCertificates && !verified(r) {
		return nil, &httpError{http.StatusForbidden, "a client certificate is needed"}
	}
	if !s.access.needsToken() {
		return nil, nil
	}
	if from == nil {
		return nil, &httpError{http.StatusUnauthorized,
			"a token is needed: send the header Authorization: Bearer TOKEN"}
	}
	return from, from.allow(w)
}

// hostName returns the name in a Host header, without port and brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// recorder records the status of an answer and what the metrics and the log need from its request.
type recorder struct {
	http.ResponseWriter
	status   int
	id       string // ID of the request
	rows     int    // number of classified observations
	admitted bool   // whether the request had the required token, even if the route is public
	share    share
	unread   bool // whether part of the body was not read
	patience time.Duration
}

// begin records the status and starts the time limit for receiving the answer.
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

// Unwrap returns the underlying writer, for http.ResponseController.
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
		text = fmt.Sprintf("the body did not arrive within %v", r.patience)
	}
	if r.unread {
		r.Header().Set("Connection", "close") // the answer does not wait for the rest of the body
	}
	if status == http.StatusServiceUnavailable && r.Header().Get("Retry-After") == "" {
		r.Header().Set("Retry-After", "1")
	}
	body := map[string]string{"error": text}
	if r.id != "" {
		body["request_id"] = r.id
	}
	writeJSON(r, status, body)
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

// unknown answers requests without a route. The status is 405 if the path has a route for another method, and otherwise
// 404.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) error {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		other := *r
		other.Method = method
		if _, pattern := s.routes.Handler(&other); pattern != "/" && pattern != "" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return &httpError{http.StatusMethodNotAllowed,
			fmt.Sprintf("%s does not answer %s; use %s", r.URL.Path, r.Method, strings.Join(allowed, " or "))}
	}
	return &httpError{http.StatusNotFound,
		fmt.Sprintf("there is no %s %s here; GET /openapi.json lists what is available", r.Method, r.URL.Path)}
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := w.Write([]byte("ok\n"))
	return err
}
