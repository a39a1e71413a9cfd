package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"rao"
	"rao/cluster"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/scoring"
	"rao/model"
)

// Protocol is the version of the requests and replies. Both sides must have the same version.
const Protocol = 1

// Request is the header of a request. The function of each operation documents the fields and arrays that it reads.
type Request struct {
	Op      string  `json:"op"`
	Arrays  []Array `json:"arrays"`
	Arena   int64   `json:"arena"`    // current length of the arena, or 0
	InArena bool    `json:"in_arena"` // the body is in the arena

	Model int `json:"model"` // number returned by load or fit
	// Want is used by predict. Its letters select arrays of the reply: l labels, p probabilities, g their logarithms, r
	// rejected, o outliers. The letter t, also for transform, adds a note if these are training observations.
	Want     string `json:"want"`
	Progress bool   `json:"progress"` // send progress frames

	Method   string              `json:"method"`
	Settings []map[string]string `json:"settings"` // fit: name and value of each
	Classes  []string            `json:"classes"`
	Labels   gaussian.LabelType  `json:"label_type"` // of the original labels
	Columns  []string            `json:"columns"`
	Channels []string            `json:"channels"`
	// Recordings are the names of the recordings in the array "recordings"; nil means that recordings have no names,
	// only numbers.
	Recordings []string `json:"recording_names"`
	Image      [3]int   `json:"image"`
	Metric     string   `json:"metric"`
	Kind       string   `json:"kind"`     // mean, embed
	Exponent   float64  `json:"exponent"` // mean: of a power mean
	Path       string   `json:"path"`
	Tol        float64  `json:"tol"`
	MaxIter    int      `json:"max_iter"`
	Noise      float64  `json:"noise"`
	Sizes      []int    `json:"sizes"`   // merge: number of classes of each part
	Moments    bool     `json:"moments"` // statistics: include the moments that ledoit_wolf needs

	Append  bool            `json:"append"`  // merge: the parts are pieces of one set of rows
	Confirm []string        `json:"confirm"` // merge: doubts that the user has confirmed
	Hashes  string          `json:"hashes"`  // statistics, save_stats: none, or a file with a key
	Private *privateRequest `json:"private"` // private
	Calls   bool            `json:"calls"`   // fit and potato: the caller computes distances
	Problem string          `json:"problem"` // answer: why there is no value
	Study   *studyRequest   `json:"study"`   // compare, tune, study
	Dataset *datasetRequest `json:"dataset"` // fetch_set, make_set
	Single  bool            `json:"single"`  // save_stats: allow classes with one row
	Paired  bool            `json:"paired"`  // distance: of X[0] and Y[0], X[1] and Y[1], ...

	known tableForm // of tables
	notes []string  // on tables that were read

	// Options of the library. JSON names are the names of the fields in lower case.
	Measures scoring.MeasureOptions `json:"measures"` // measures, scores
	Manova   evaluate.ManovaOptions `json:"manova"`
	Embed    cluster.EmbedOptions   `json:"embed"`

	Cluster clusterRequest `json:"cluster"`
	Potato  potatoRequest  `json:"potato"`
	Align   alignRequest   `json:"align"`
	Spectra spectraRequest `json:"spectra"` // covariances: for spectral estimators
	ONNX    onnxRequest    `json:"onnx"`    // export_onnx
	Live    liveRequest    `json:"live"`    // open_decoder and the operations of decoders
	Draw    drawRequest    `json:"draw"`    // gaussian
}

// Reply is the header of a reply. After an error, only the error fields are set.
type Reply struct {
	Error    string     `json:"error,omitempty"`
	Internal bool       `json:"internal,omitempty"` // the error is a bug in rao
	Notes    []string   `json:"notes,omitempty"`    // information for the user, one sentence each
	Warnings []string   `json:"warnings,omitempty"` // causes that may make the model worse
	Partial  string     `json:"partial,omitempty"`  // why an iteration ended before it reached its tolerance
	Info     any        `json:"info,omitempty"`
	Progress *rao.Event `json:"progress,omitempty"` // only in a progress frame
	Call     *call      `json:"call,omitempty"`     // only in a frame that asks the caller, with its arrays
	Arrays   []Array    `json:"arrays,omitempty"`
	At       *int       `json:"at,omitempty"` // offset of the body in the arena
}

// Options are the settings of a worker. The zero value has no arena.
type Options struct {
	Version string
	// Map maps size bytes of the arena. They are valid until the next call. With a nil Map, the worker does not use an
	// arena.
	Map func(size int64) ([]byte, error)
}

// Serve reads requests from in and writes replies to out, until in ends or ctx is done. It returns nil if in ends, the
// error of ctx if ctx is done, and errors of the streams. It sends errors of requests as replies. When in ends, it
// abandons a running request, because the process is expected to end.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(out, opt)
	requests, ended := make(chan *request), make(chan error, 2)
	var handed atomic.Int64 // requests passed to the other goroutine
	go func() {             // notices the end of in while a request is running
		in := bufio.NewReaderSize(in, small)
		for {
			head, body, err := readFrame(in)
			if err != nil {
				ended <- err
				return
			}
			q := newRequest(head, body)
			if q.Op == "answer" {
				if s.talking.Load() {
					select {
					case s.answers <- q:
					default: // not requested
					}
				}
				continue
			}
			if q.brief() && handed.Load() == 0 { // passing it on would take as long as answering it
				if err := s.answer(ctx, q, func() {}); err != nil {
					ended <- err
					return
				}
				continue
			}
			handed.Add(1)
			select {
			case requests <- q:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		for {
			select {
			case q := <-requests:
				// After the reply the caller may send the next request, so this request must be counted as done before
				// the reply is written.
				if err := s.answer(ctx, q, func() { handed.Add(-1) }); err != nil {
					ended <- err
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// request is a frame with a parsed header.
type request struct {
	Request
	body []byte
	err  error // of the header
}

func newRequest(head, body []byte) *request {
	q := &request{body: body}
	q.err = json.Unmarshal(head, &q.Request)
	return q
}

// brief reports whether answering the request probably takes no longer than reading it.
func (q *request) brief() bool {
	switch q.Op {
	case "hello", "free", "predict", "transform", "distance", "push", "observe", "mark":
		return !q.InArena && len(q.body) <= small
	}
	return false
}

// server reads requests, runs them and writes replies for one caller. It stores the models between requests.
type server struct {
	out    frameWriter
	opt    Options
	ops    map[string]operation
	models map[int]*model.Model
	last   int // number of the newest model
	live   *liveDecoder
	arena  []byte
	mu     sync.Mutex // protects out, because progress is written concurrently

	talking atomic.Bool   // a fit may ask the caller for dissimilarities
	answers chan *request // to questions
}

func newServer(out io.Writer, opt Options) *server {
	return &server{out: frameWriter{w: out}, opt: opt, ops: operations, models: map[int]*model.Model{},
		answers: make(chan *request, 1)}
}

// answer writes the reply to a request. It calls over when the reply is ready to be written. After that, it does not
// use the state of the server.
func (s *server) answer(ctx context.Context, q *request, over func()) error {
	reply, err := new(Reply), q.err
	if err == nil {
		err = s.open(&q.Request, q.body)
	}
	if err == nil {
		reply, err = s.run(ctx, &q.Request)
	}
	if err != nil {
		reply = failed(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	arrays := s.place(reply, &q.Request)
	over()
	return s.out.write(reply, arrays, bodyLen(arrays))
}

// open maps the arena and sets the arrays of the request.
func (s *server) open(q *Request, body []byte) error {
	if q.Arena != int64(len(s.arena)) {
		if s.opt.Map == nil || q.Arena < 0 {
			return errors.New("the request needs shared memory, but this worker was started without it")
		}
		var err error
		if s.arena, err = s.opt.Map(q.Arena); err != nil {
			s.arena = nil
			return fmt.Errorf("the shared memory cannot be mapped: %w", err)
		}
	}
	if q.InArena {
		body = s.arena
	}
	return cut(q.Arrays, body)
}

// place copies a long body of a reply into the arena, after the body of the request, if there is room. It returns the
// arrays to send with the reply.
func (s *server) place(r *Reply, q *Request) []Array {
	length := bodyLen(r.Arrays)
	at := 0
	if q.InArena {
		at = bodyLen(q.Arrays)
	}
	if length <= small || len(s.arena)-at < length {
		return r.Arrays
	}
	r.At = &at
	k := at
	for _, a := range r.Arrays {
		if dst := s.arena[k:]; unsafe.SliceData(dst) != unsafe.SliceData(a.Data) { // not already in place
			copy(dst, a.Data)
		}
		k += len(a.Data) + padding(len(a.Data))
	}
	return nil
}

// room returns memory for n values of the first array of a reply. If the arena has enough room, this is the reply's
// place in the arena. The values are arbitrary.
func (s *server) room(q *Request, n int) []float64 {
	at := 0
	if q.InArena {
		at = bodyLen(q.Arrays)
	}
	if !littleEndian || 8*n <= small || len(s.arena)-at < 8*n {
		return make([]float64, n)
	}
	return view[float64](s.arena[at : at+8*n])
}

// run executes the request. A panic becomes an error.
func (s *server) run(ctx context.Context, q *Request) (r *Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &internalError{fmt.Sprintf("internal error in %s: %v", q.Op, p)}
		}
	}()
	op, ok := s.ops[q.Op]
	if !ok {
		return nil, fmt.Errorf("the operation %q is unknown; use a program and a worker of the same version", q.Op)
	}
	return op(ctx, s, q)
}

type internalError struct{ text string }

func (e *internalError) Error() string { return e.text }

func failed(err error) *Reply {
	var internal *internalError
	return &Reply{Error: message(err), Internal: errors.As(err, &internal)}
}

// message returns the message of an error. Options are written as --NAME, which the Python package converts to
// keywords.
func message(err error) string {
	return rao.Spell(err, func(option, value string) string {
		if value == "" {
			return "--" + option
		}
		switch _, err := strconv.ParseFloat(value, 64); {
		case value == "true":
			value = "True"
		case value == "false":
			value = "False"
		case err != nil:
			value = strconv.Quote(value)
		}
		return "--" + option + "=" + value
	})
}

// progress returns a function that sends progress, or nil if the request does not ask for progress. It sends the first
// event of each stage, and other events at most ten times per second.
func (s *server) progress(q *Request) (send rao.Progress, done func()) {
	if !q.Progress {
		return nil, func() {}
	}
	var sent time.Time
	var stage string
	var over bool
	return func(e rao.Event) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if over || e.Stage == stage && time.Since(sent) < 100*time.Millisecond {
				return
			}
			sent, stage = time.Now(), e.Stage
			_ = s.out.write(&Reply{Progress: &e}, nil, 0) // writing the reply will return the same error
		}, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			over = true
		}
}

// array returns the named array of the request. It returns an error if the request does not have the array.
func (q *Request) array(name string) (*Array, error) {
	if a := q.optional(name); a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("the request %s has no array %q", q.Op, name)
}

// optional returns the named array of the request, or nil if the request does not have it.
func (q *Request) optional(name string) *Array {
	i := slices.IndexFunc(q.Arrays, func(a Array) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &q.Arrays[i]
}

// partial returns the message of an error with a usable result, or else the error itself.
func partial(err error) (string, error) {
	if rao.HasModel(err) {
		return message(err), nil
	}
	return "", err
}
