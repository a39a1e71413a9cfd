package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"rao/internal/testkit"
)

// digitRows returns the JSON of n rows of the digits' model.
func digitRows(n int) []byte {
	row := strings.Repeat("0,", 63) + "0"
	return []byte(`{"inputs":[{"name":"X","datatype":"FP64","shape":[` + strconv.Itoa(n) + `,64],"data":[` +
		strings.Repeat(row+",", n-1) + row + `]}]}`)
}

const inferPath = "/v2/models/digits/infer"

// Connections that stop sending within a body of unknown length do not block other requests.
func TestIdleBodies(t *testing.T) {
	_, server := newServer(t, Options{})
	for range 40 {
		c := testkit.Must(net.Dial("tcp", server.Listener.Addr().String()))(t)
		defer c.Close()
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"i\r\n", inferPath)
	}
	time.Sleep(100 * time.Millisecond)
	for range 3 {
		chunked := struct{ io.Reader }{bytes.NewReader(digitRows(1))}
		resp := testkit.Must(http.Post(server.URL+inferPath, "application/json", chunked))(t)
		resp.Body.Close()
		testkit.Equal(t, resp.StatusCode, 200, "one row beside idle connections has status")
	}
}

// A request without the token is rejected before its body is read, whatever length it announces.
func TestRefusedBeforeTheBody(t *testing.T) {
	_, server := newServer(t, Options{Tokens: map[string]string{"secret": ""}})
	for _, head := range []string{"Transfer-Encoding: chunked\r\n\r\n3\r\n{\"i\r\n", "Content-Length: 100\r\n\r\n{"} {
		testkit.Contains(t, raw(t, server, "POST "+inferPath+" HTTP/1.1\r\nHost: x\r\n"+head), " 401 ", "the answer")
	}
	_, server = newServer(t, Options{MaxBody: 1000})
	head := "POST " + inferPath + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n"
	testkit.Contains(t, raw(t, server, head), " 413 ", "a body too long is answered by")
}

// The total memory of bodies, numbers and answers is limited. Large requests leave room for small ones.
func TestMemoryIsBounded(t *testing.T) {
	const most = 8 << 20
	s, server := newServer(t, Options{MaxMemory: most})
	ask := func(want int, path string, body []byte, header ...string) http.Header {
		t.Helper()
		status, answer, h := call(t, "POST", server.URL+path, body, header...)
		testkit.Equal(t, status, want, "status", answer)
		return h
	}
	ask(200, inferPath, digitRows(4000))  // 0.5 MB of text, 2 of numbers, 1 of answers
	ask(413, inferPath, digitRows(16000)) // 2 MB of text, 8 of numbers
	ask(413, inferPath, bytes.Repeat([]byte(" "), most))
	const predict = "/v1/models/digits/predict"
	ask(413, predict, bytes.Repeat([]byte(","), 1<<20), "Content-Type", "text/csv")
	var names []string
	for i := range 100_000 {
		names = append(names, fmt.Sprintf(`"c%d":1`, i))
	}
	ask(413, predict, []byte(`{"rows":[{`+strings.Join(names, ",")+`}]}`))
	ask(413, predict, []byte(`{"columns":["`+strings.Repeat(`","`, 1<<18)+`"]}`))
	ask(413, inferPath, []byte(`{"inputs":[`+strings.Repeat(`{"shape":[0],"datatype":"FP64","data":[]},`, 20_000)))
	ask(400, inferPath, []byte(`{"id":"`+strings.Repeat("x", 1<<17)+`"}`))

	s.memory.used.Add(most/8*7 - 1<<20)
	if h := ask(503, inferPath, digitRows(4000)); h.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	ask(200, inferPath, digitRows(1))
	s.memory.used.Add(1<<20 - most/8*7)
	testkit.Equal(t, s.memory.used.Load(), 0, "bytes are still held")
}

// The memory that the server allocates for a request is close to the estimate that it reserves.
func TestChargesAreReal(t *testing.T) {
	s, _ := newServer(t, Options{})
	e, err := s.models.find("digits", "")
	testkit.NoError(t, err)
	bodies := map[string][]byte{"JSON": digitRows(4000), "CSV": []byte(strings.Repeat("1"+strings.Repeat(",", 63)+"\n",
		4000)), "nested": []byte(`{"X":[` + strings.Repeat(`[0`+strings.Repeat(",0", 63)+`],`, 3999) + `[0` +
		strings.Repeat(",0", 63) + `]]}`)}
	for name, body := range bodies {
		own := &share{of: &s.memory}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		switch name {
		case "JSON":
			_, err = parseInfer(body, "", 1<<30, false, own)
		case "nested":
			_, err = e.fromJSON(body, 1<<30, own, nil)
		case "CSV":
			e.model.Input.Fill = make([]float64, 64)
			_, err = e.fromTable(body, 1<<30, own)
			e.model.Input.Fill = nil
		}
		runtime.ReadMemStats(&after)
		testkit.NoError(t, err, name)
		got, charged := int64(after.TotalAlloc-before.TotalAlloc), own.used
		if charged < 8*64*4000 || got > charged*5/4+1<<18 {
			t.Errorf("%s: %d bytes were charged, %d allocated", name, charged, got)
		}
		own.release()
	}
}

// A long answer is sent in pieces and has the same content as a short one, in JSON and in binary.
func TestLongAnswers(t *testing.T) {
	_, server := newServer(t, Options{})
	const n = 3000
	type answer struct {
		Outputs []struct {
			Name  string
			Shape []int
			Data  []any
		}
	}
	read := func(b []byte) (a answer) {
		t.Helper()
		testkit.NoError(t, json.Unmarshal(b, &a))
		return a
	}
	status, b, h := call(t, "POST", server.URL+inferPath, digitRows(n))
	if status != 200 || len(b) < 3*sinkFrom || h.Get("Content-Length") != "" {
		t.Fatalf("status %d, %d bytes, length %q", status, len(b), h.Get("Content-Length"))
	}
	long := read(b)
	_, b, h = call(t, "POST", server.URL+inferPath, digitRows(1))
	testkit.Equal(t, h.Get("Content-Length"), strconv.Itoa(len(b)), "length of a short answer")
	for k, o := range read(b).Outputs {
		got := long.Outputs[k]
		if got.Name != o.Name || got.Shape[0] != n || len(got.Data) != n*len(o.Data) ||
			fmt.Sprint(got.Data[:len(o.Data)]) != fmt.Sprint(o.Data) {
			t.Errorf("the output %s has the shape %v and begins with %v", got.Name, got.Shape, got.Data[:1])
		}
	}
	some := bytes.TrimSuffix(digitRows(n), []byte("}"))
	some = append(some, `,"outputs":[{"name":"posterior"},{"name":"features","parameters":{"binary_data":true}}]}`...)
	status, b, h = call(t, "POST", server.URL+inferPath, some)
	head, err := strconv.Atoi(h.Get(headerLength))
	if status != 200 || err != nil || h.Get("Content-Length") != strconv.Itoa(len(b)) || len(b)-head != 8*4*n {
		t.Fatalf("status %d, %v, %d bytes behind %d", status, err, len(b), head)
	}
	testkit.Equal(t, fmt.Sprint(read(b[:head]).Outputs[0].Data), fmt.Sprint(long.Outputs[1].Data),
		"the posteriors beside binary features differ")
	twice := strings.Replace(string(some), "features", "posterior", 1)
	answers(t, 400, "POST", server.URL+inferPath, []byte(twice))
}
