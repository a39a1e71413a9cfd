package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"rao/internal/decisionrecord"
	"rao/internal/testkit"
	"rao/model"
)

// open opens a stream of the model of matrices.
func open(t *testing.T, url string) string {
	t.Helper()
	return opened(t, url, `{"model":"nearest"}`)
}

// opened opens a stream and returns its identifier.
func opened(t *testing.T, url, body string, header ...string) string {
	t.Helper()
	var a struct{ ID string }
	b := answers(t, 201, "POST", url+"/v1/streams", []byte(body), header...)
	testkit.NoError(t, json.Unmarshal(b, &a), b)
	return a.ID
}

// event is an event of an event stream.
type event struct{ id, name, data string }

// events reads n events from the one after last on.
func events(t *testing.T, url, id, last string, n int) []event {
	t.Helper()
	return testkit.Must(listen(url, id, last, n))(t)
}

// listen is like events, for goroutines other than the goroutine of the test, which must not end the test.
func listen(url, id, last string, n int) ([]event, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", url+"/v1/streams/"+id+"/decisions", nil)
	if err != nil {
		return nil, err
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var out []event
	var e event
	for lines := bufio.NewScanner(resp.Body); len(out) < n && lines.Scan(); {
		switch key, value, _ := strings.Cut(lines.Text(), ": "); key {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.name != "" {
				out = append(out, e)
			}
			e = event{}
		}
	}
	if len(out) < n {
		return nil, fmt.Errorf("status %d, %d events, want %d", resp.StatusCode, len(out), n)
	}
	return out, nil
}

// Pushed samples, in pieces of any size, give the model's decisions, and a listener that reconnects continues where it
// stopped.
func TestStreamDecides(t *testing.T) {
	_, server := newServer(t, Options{})
	id := open(t, server.URL)
	const n = 6
	want := testkit.Must(nearest.Predict(context.Background(), model.Matrices(spdX.Stack.Select([]int{0, 1, 2, 3, 4,
		5}))))(t)
	raw := float64s(spdX.Stack.Data[:n*100])
	r, w := io.Pipe()
	go func() {
		for len(raw) > 0 {
			k := min(777, len(raw))
			w.Write(raw[:k])
			raw = raw[k:]
		}
		w.Close()
	}()
	resp := testkit.Must(http.Post(server.URL+"/v1/streams/"+id+"/samples", "application/x-f64", r))(t)
	resp.Body.Close()
	testkit.Equal(t, resp.StatusCode, 202, "status")
	got := events(t, server.URL, id, "", n)
	for i, e := range got {
		var d decisionrecord.Record
		if err := json.Unmarshal([]byte(e.data), &d); err != nil || e.id != fmt.Sprint(i) ||
			d.Label != nearest.Classes[want.Label[i]] {
			t.Errorf("event %d: %+v, %v", i, e, err)
		}
	}
	if again := events(t, server.URL, id, "3", 2); again[0].id != "4" || again[1].data != got[5].data {
		t.Errorf("after the third: %+v", again)
	}
	answers(t, 204, "DELETE", server.URL+"/v1/streams/"+id, nil)
}

// A slow listener learns how many decisions it missed.
func TestSlowListenerIsTold(t *testing.T) {
	_, server := newServer(t, Options{Keep: 3})
	id := open(t, server.URL)
	var lines bytes.Buffer
	for k := range 10 {
		b, _ := json.Marshal(spdX.Stack.At(k))
		lines.Write(append(b, '\n'))
	}
	answers(t, 202, "POST", server.URL+"/v1/streams/"+id+"/samples", lines.Bytes(), "Content-Type",
		"application/x-ndjson")
	got := events(t, server.URL, id, "", 4)
	if got[0].name != "dropped" || got[0].data != `{"dropped":7}` || got[1].id != "7" {
		t.Errorf("%+v", got)
	}
}

// The error for bad samples states their place; the stream stays open.
func TestBadSamples(t *testing.T) {
	_, server := newServer(t, Options{MaxStreams: 1})
	id := open(t, server.URL)
	answers(t, 503, "POST", server.URL+"/v1/streams", []byte(`{"model":"nearest"}`)) // a stream too many
	for _, c := range []struct{ kind, body, says string }{
		{"application/x-f64", "short", "ends within a sample"},
		{"application/x-ndjson", "[1,2]\n", "sample 0 has 2 values"},
		{"application/x-ndjson", "[1,x]\n", "value 1"},
		{"", "1", "Content-Type"},
	} {
		b := answers(t, 400, "POST", server.URL+"/v1/streams/"+id+"/samples", []byte(c.body), "Content-Type", c.kind)
		testkit.Contains(t, string(b), c.says, c.body)
	}
}

// An idle stream ends, and its listener is notified.
func TestIdleStreamEnds(t *testing.T) {
	for idle := 50 * time.Millisecond; ; idle *= 4 {
		_, server := newServer(t, Options{Idle: idle})
		got, err := listen(server.URL, open(t, server.URL), "", 1)
		if err != nil && idle < 30*time.Second {
			continue // it had ended before anybody listened
		}
		if err != nil || got[0].name != "end" {
			t.Errorf("%+v, %v", got, err)
		}
		return
	}
}
