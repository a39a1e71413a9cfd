package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"rao/internal/testkit"
)

// raw sends bytes to a server and returns the first line that it answers.
func raw(t *testing.T, server *httptest.Server, text string) string {
	t.Helper()
	c := testkit.Must(net.Dial("tcp", server.Listener.Addr().String()))(t)
	defer c.Close()
	testkit.Must(io.WriteString(c, text))(t)
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	line := testkit.Must(bufio.NewReader(c).ReadString('\n'))(t, "no answer")
	return line
}

// The server waits for a body only for a limited time; a listener, who sends nothing, may stay connected.
func TestSlowClients(t *testing.T) {
	const patience = 200 * time.Millisecond
	_, server := newServer(t, Options{Patience: patience})
	head := "POST /v1/models/digits/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"
	testkit.Contains(t, raw(t, server, head), "408", "a slow body is answered by")
	id := open(t, server.URL)
	type heard struct {
		events []event
		err    error
	}
	got := make(chan heard, 1)
	go func() {
		e, err := listen(server.URL, id, "", 1)
		got <- heard{e, err}
	}()
	time.Sleep(2 * patience)
	for range 20 { // on a busy machine a body may come too late
		status, b, _ := call(t, "POST", server.URL+"/v1/streams/"+id+"/samples", float64s(spdX.Stack.At(0)),
			"Content-Type", "application/x-f64")
		if status == 202 {
			break
		}
		if status != 408 {
			t.Fatalf("status %d: %s", status, b)
		}
	}
	if h := <-got; h.err != nil || h.events[0].name != "decision" {
		t.Errorf("%+v", h)
	}
}

// The number of rows is limited in every format.
func TestRowsAreBounded(t *testing.T) {
	s, server := newServer(t, Options{MaxBody: 1 << 20, MaxRows: 3})
	row := strings.Repeat("1,", 63) + "1\n"
	for rows, want := range map[int]int{3: 200, 4: 400} {
		status, b, _ := call(t, "POST", server.URL+"/v1/models/digits/predict", []byte(strings.Repeat(row, rows)),
			"Content-Type", "text/csv")
		testkit.Equal(t, status, want, "status for", rows, "rows", b)
	}
	npy := fmt.Sprintf("\x93NUMPY\x01\x00v\x00%-117s\n", "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 64), }")
	answers(t, 413, "POST", server.URL+"/v1/models/digits/predict",
		append([]byte(npy), make([]byte, 256)...),
		"Content-Type", "application/x-npy")
	testkit.Equal(t, s.memory.used.Load(), 0, "bytes are still held")
}

// After clients disconnect, for any reason, the server keeps nothing of them.
func TestNothingIsLeftBehind(t *testing.T) {
	settled := func(want int) int {
		n := 0
		for range 500 {
			http.DefaultTransport.(*http.Transport).CloseIdleConnections()
			if n = runtime.NumGoroutine(); n <= want {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		return n
	}
	s, server := newServer(t, Options{})
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	time.Sleep(100 * time.Millisecond)
	before := runtime.NumGoroutine()
	for k := range 8 {
		id := open(t, server.URL)
		address := server.URL + "/v1/streams/" + id + "/ws"
		conn := dial(t, address, nil)
		if err := conn.Write(t.Context(), websocket.MessageBinary, []byte("short")); err != nil { // which ends it
			t.Fatal(err)
		}
		listener := dial(t, address, nil)
		c, err := net.Dial("tcp", server.Listener.Addr().String()) // which goes away within a body
		testkit.NoError(t, err)
		fmt.Fprintf(c, "POST /v1/streams/%s/samples HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-f64\r\n"+
			"Content-Length: 800\r\n\r\n1234", id)
		time.Sleep(5 * time.Millisecond)
		c.Close()
		if k%2 == 0 {
			listener.CloseNow()
		}
		call(t, "DELETE", server.URL+"/v1/streams/"+id, nil)
		listener.CloseNow()
		conn.CloseNow()
	}
	testkit.Equal(t, s.streams.count(), 0, "streams are open")
	if n := settled(before); n > before {
		var stacks bytes.Buffer
		buf := make([]byte, 1<<20)
		stacks.Write(buf[:runtime.Stack(buf, true)])
		t.Errorf("%d goroutines, %d before:\n%s", n, before, stacks.String())
	}
}

// For any samples, in any format and any pieces, the stream answers and the server keeps running.
func FuzzSamples(f *testing.F) {
	s, server := newServer(f, Options{MaxBody: 1 << 16})
	server.Close()
	f.Add([]byte("[1,2]\n"), 0)
	f.Add(make([]byte, 800), 1)
	f.Add(make([]byte, 400), 2)
	kinds := []string{"application/x-ndjson", "application/x-f64", "application/x-f32"}
	f.Fuzz(func(t *testing.T, body []byte, kind int) {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("POST", "/v1/streams", strings.NewReader(`{"model":"nearest"}`)))
		_, id, _ := strings.Cut(w.Body.String(), `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		r := httptest.NewRequest("POST", "/v1/streams/"+id+"/samples", struct{ io.Reader }{bytes.NewReader(body)})
		r.Header.Set("Content-Type", kinds[uint(kind)%uint(len(kinds))])
		answered(t, s, r, httptest.NewRecorder())
		s.streams.remove(id)
	})
}
