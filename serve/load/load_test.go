package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rao/internal/testkit"
)

// stall returns the load for a server that answers every request at once, except the 20th, for which it first calls
// wait.
func stall(t *testing.T, wait func(*http.Request)) Load {
	var seen atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // then the server sees a client that leaves
		if seen.Add(1) == 20 {
			wait(r)
		}
	}))
	t.Cleanup(server.Close)
	return Load{URL: server.URL, Model: "m", Shape: []int{1}, Values: []float64{1}, Rows: 1, Clients: 1,
		Duration: time.Hour, Requests: 200}
}

// If the client waits for answers, a stall delays only one request. Otherwise it delays all requests that are due
// during the stall.
func TestLoadAtRate(t *testing.T) {
	const long = 250 * time.Millisecond
	wait := func(*http.Request) { time.Sleep(long) }
	l := stall(t, wait)
	closed, err := l.Run(t.Context())
	if err != nil || closed.Requests != 200 || closed.Errors != 0 || closed.P999 < long {
		t.Fatalf("%+v, %v", closed, err)
	}
	l = stall(t, wait)
	l.Rate = 500 // 125 requests fall due in the stall
	r, err := l.Run(t.Context())
	if err != nil || r.Requests != 200 || r.Errors+r.Missing != 0 || r.Rate != 500 || r.Median < long/8 ||
		r.P999 < long {
		t.Errorf("%+v, %v", r, err)
	}
	if closed.Median >= r.Median {
		t.Errorf("half of the requests take %v where the client waits, and %v where it does not", closed.Median,
			r.Median)
	}
}

// Requests that were due but not answered are reported.
func TestLoadTellsWhatIsMissing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := stall(t, func(r *http.Request) { // until the load is cut off
		cancel()
		<-r.Context().Done()
	})
	l.Rate, l.Duration = 1000, 100*time.Millisecond
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
	testkit.Fails(t, testkit.ErrorOf(l.Run(t.Context())), "a load over TLS runs")
}

// measured runs the program and reads the JSON that it writes.
func measured(t *testing.T, args string, into any) {
	t.Helper()
	var out bytes.Buffer
	testkit.NoError(t, run(strings.Fields(args+" -json"), &out))
	testkit.NoError(t, json.Unmarshal(out.Bytes(), into), out.String())
}

// Every decision on a live signal arrives.
func TestStreams(t *testing.T) {
	var r StreamReport
	measured(t, "-streams 3 -seconds 0.5", &r)
	if r.Decisions < 6 || r.Missing != 0 || r.Errors != 0 || r.P99 <= 0 {
		t.Errorf("%+v", r)
	}
}

func TestMemory(t *testing.T) {
	var r memoryReport
	measured(t, "-requests 105 -clients 2", &r)
	if r.Requests != 105 || r.Errors != 0 || len(r.HeldBytes) != 10 {
		t.Errorf("%+v", r)
	}
}

func TestRequests(t *testing.T) {
	var cases []serveCase
	measured(t, "-seconds 0.05 -clients 2 -rate 100", &cases)
	testkit.Equal(t, len(cases), 6, "cases")
	for _, c := range cases {
		if c.Errors > 0 {
			t.Errorf("%s: %d errors", c.Name, c.Errors)
		}
		if c.Rate > 0 && c.Requests+c.Missing != 5 {
			t.Errorf("%s: %d answers and %d missing of the 5 that fell due", c.Name, c.Requests, c.Missing)
		}
	}
}

func TestMeasurementsDoNotMix(t *testing.T) {
	for args, says := range map[string]string{"-streams 2 -requests 2": "use one",
		"-peer python3 -peer-server ml": "mlserver", "-clients 0": "positive"} {
		testkit.ErrorContains(t, run(strings.Fields(args), io.Discard), says, args)
	}
}
