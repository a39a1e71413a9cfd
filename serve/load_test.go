package serve

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// stall answers at once, but for one request in the middle, which takes as long as given.
func stall(t *testing.T, long time.Duration) Load {
	var seen atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // then the server sees a client that leaves
		if seen.Add(1) == 20 {
			select {
			case <-time.After(long):
			case <-r.Context().Done():
			}
		}
	}))
	t.Cleanup(server.Close)
	return Load{URL: server.URL, Model: "m", Shape: []int{1}, Values: []float64{1}, Rows: 1, Clients: 1,
		Duration: time.Hour, Requests: 200}
}

// A stall is late for one request where the client waits for it, and for all that fell due
// meanwhile where it does not.
func TestLoadAtRate(t *testing.T) {
	const long = 250 * time.Millisecond
	l := stall(t, long)
	r, err := l.Run(t.Context())
	if err != nil || r.Requests != 200 || r.Errors != 0 || r.Median > long/2 {
		t.Fatalf("%+v, %v", r, err)
	}
	l = stall(t, long)
	l.Rate = 500 // 125 requests fall due in the stall
	if r, err = l.Run(t.Context()); err != nil || r.Requests != 200 || r.Errors+r.Missing != 0 || r.Rate != 500 ||
		r.Median < long/8 || r.P999 < long {
		t.Errorf("%+v, %v", r, err)
	}
}

// What falls due and is not answered is told.
func TestLoadTellsWhatIsMissing(t *testing.T) {
	l := stall(t, 5*time.Second)
	l.Rate, l.Duration = 1000, 100*time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if r, err := l.Run(ctx); err != nil || r.Requests != 19 || r.Missing != 81 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Errors are counted, and the connection is made again.
func TestLoadCountsErrors(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	l := Load{URL: server.URL, Model: "m", Shape: []int{1}, Values: []float64{1}, Rows: 1, Clients: 2,
		Duration: time.Hour, Requests: 10}
	if r, err := l.Run(t.Context()); err != nil || r.Requests != 0 || r.Errors != 10 {
		t.Errorf("%+v, %v", r, err)
	}
	l.URL = "https://localhost"
	if _, err := l.Run(t.Context()); err == nil {
		t.Error("a load over TLS runs")
	}
}
