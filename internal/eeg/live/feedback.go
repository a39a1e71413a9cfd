package live

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"sync"
	"time"

	"rao/internal/text"
	"rao/model"
)

//go:embed page
var feedbackPage embed.FS

const mostWatchers = 32

// Feedback is a page for the participant, at /feedback. It shows the evidence for each class, and the last decision in
// large letters. A slow page skips states and shows the newest one, so the decoder never waits. The methods are safe
// for concurrent use and do nothing on a nil Feedback.
type Feedback struct {
	mu       sync.Mutex
	latest   []byte
	wake     chan struct{} // closed when the state changes
	watchers int
}

// NewFeedback returns an empty page.
func NewFeedback() *Feedback { return &Feedback{wake: make(chan struct{})} }

// shown is a state of the page. page/feedback.js uses the JSON names.
type shown struct {
	Labels    []string  `json:"labels"`
	Posterior []float64 `json:"posterior"`
	Evidence  string    `json:"evidence"` // amount of evidence, such as 3 windows
	Ended     bool      `json:"ended"`    // the trial has ended, with or without a decision
	Decided   int       `json:"decided"`  // index of the label; -1 for no decision
}

// Show shows the probabilities of the labels. evidence is the amount of evidence, such as "3 windows". If ended is
// true, it also shows the decision, which is -1 for none.
func (f *Feedback) Show(labels []string, posterior []float64, evidence string, ended bool, decided int) {
	if f == nil {
		return
	}
	b, err := json.Marshal(shown{labels, posterior, evidence, ended, decided})
	if err != nil {
		return // a number is not finite: show nothing
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.latest = b
	close(f.wake)
	f.wake = make(chan struct{})
}

func (f *Feedback) show(labels []string, d model.Decision, windows int) {
	if f == nil {
		return
	}
	posterior := make([]float64, len(d.LogPosterior))
	for c, v := range d.LogPosterior {
		posterior[c] = math.Exp(v)
	}
	decided := d.Label
	if d.Rejected || d.Outlier {
		decided = -1
	}
	f.Show(labels, posterior, text.Plural(windows, "window", "windows"), true, decided)
}

// state returns the current state, and a channel that is closed when it changes.
func (f *Feedback) state() ([]byte, chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.latest, f.wake
}

// Handler serves the page and its state.
func (f *Feedback) Handler() http.Handler {
	mux := http.NewServeMux()
	for path, file := range map[string]string{"/feedback": "feedback.html", "/feedback.css": "feedback.css",
		"/feedback.js": "feedback.js"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "+
				"connect-src 'self'; frame-ancestors 'none'")
			w.Header().Set("Cache-Control", "no-store")
			http.ServeFileFS(w, r, feedbackPage, "page/"+file)
		})
	}
	mux.HandleFunc("GET /feedback/events", f.events)
	return mux
}

// events sends every new state to a page.
func (f *Feedback) events(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	full := f.watchers >= mostWatchers
	if !full {
		f.watchers++
	}
	f.mu.Unlock()
	if full {
		http.Error(w, fmt.Sprintf("the limit of %d open pages is reached; close one", mostWatchers),
			http.StatusServiceUnavailable)
		return
	}
	defer func() {
		f.mu.Lock()
		f.watchers--
		f.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	for {
		state, changed := f.state()
		if state != nil {
			out.SetWriteDeadline(time.Now().Add(10 * time.Second))
			if _, err := fmt.Fprintf(w, "data: %s\n\n", state); err != nil || out.Flush() != nil {
				return
			}
		} else if out.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// Serve serves the page at an address, such as 127.0.0.1:8090, until the context ends. It returns the actual address,
// and a function that stops the server and waits until it has stopped.
func (f *Feedback) Serve(ctx context.Context, addr string) (net.Addr, func() error, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, nil, fmt.Errorf("the page cannot be served: %w; choose another address", err)
	}
	server := &http.Server{Handler: f.Handler(), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	stop := func() error {
		server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}
	return listener.Addr(), stop, nil
}
