package serve

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// Parameters of requests and tensors: null and unknown ones change nothing, and wrong ones are refused.
func TestParameters(t *testing.T) {
	s, server := newServer(t, Options{MaxMemory: 8 << 20})
	values := strings.Repeat("1,", 63) + "1"
	const tail = 64 * 8
	request := func(ofRequest, ofInput, data, ofOutput string) []byte {
		return fmt.Appendf(nil, `{"parameters":%s,"inputs":[{"name":"X","datatype":"FP64","shape":[1,64],`+
			`"parameters":%s%s}],"outputs":[{"name":"label","parameters":%s}]}`, ofRequest, ofInput, data, ofOutput)
	}
	_, want, _ := call(t, "POST", server.URL+inferPath, request("null", "{}", `,"data":[`+values+`]`, "{}"))
	x := rowsOf(digitsX, 1)
	for j := range 64 {
		x.Set(0, j, 1)
	}
	for _, c := range []struct {
		ofRequest, ofInput, ofOutput string
		bytes                        int // of the input behind the JSON
		status                       int
		says                         string
	}{
		{`{}`, `{}`, `null`, 0, 200, ""},
		{`{"binary_data_output":null,"other":{"a":[1,"]"]}}`, `{"binary_data_size":null}`, `{"binary_data":false}`, 0,
			200, ""},
		{`{"binary_data_output":false}`, `{"binary_data_size":512,"x":null}`, `{}`, tail, 200, ""},
		{`{"binary_data_output":1}`, `{}`, `{}`, 0, 400, "expected true or false"},
		{`{}`, `{}`, `{"binary_data":"true"}`, 0, 400, "expected true or false"},
		{`{}`, `{"binary_data_size":511}`, `{}`, tail, 400, "511 bytes"},
		{`{}`, `{"binary_data_size":-1}`, `{}`, tail, 400, "binary_data_size"},
		{`{}`, `{"binary_data_size":513}`, `{}`, tail, 400, "512 bytes are left"},
		{`{}`, `{"binary_data_size":5e2}`, `{}`, tail, 400, "an integer"},
		{`[]`, `{}`, `{}`, 0, 400, "expected"},
		{`{"a":1,"a":2}`, `{}`, `{}`, 0, 400, "twice"},
	} {
		var body []byte
		var header []string
		if c.bytes > 0 {
			body = request(c.ofRequest, c.ofInput, "", c.ofOutput)
			header = []string{headerLength, fmt.Sprint(len(body))}
			body = append(body, float64s(x.RawMatrix().Data)...)
		} else {
			body = request(c.ofRequest, c.ofInput, `,"data":[`+values+`]`, c.ofOutput)
		}
		status, b, _ := call(t, "POST", server.URL+inferPath, body, header...)
		if status != c.status || status == 200 && !bytes.Equal(b, want) || !strings.Contains(string(b), c.says) {
			t.Errorf("%s, %s, %s: status %d: %s", c.ofRequest, c.ofInput, c.ofOutput, status, b)
		}
	}
	_, b, h := call(t, "POST", server.URL+inferPath,
		request(`{"binary_data_output":true}`, "{}", `,"data":[`+values+`]`, "{}"))
	if h.Get(headerLength) == "" || !bytes.Contains(b, []byte(`"parameters":{"binary_data_size":5}`)) {
		t.Errorf("binary output: %v %s", h, b)
	}
	var many strings.Builder // small text, but each name is kept
	for i := range 40_000 {
		fmt.Fprintf(&many, `"p%d":1,`, i)
	}
	status, b, _ := call(t, "POST", server.URL+inferPath,
		request("{"+many.String()+`"p":1}`, "{}", `,"data":[`+values+`]`, "{}"))
	testkit.Equal(t, status, 413, "40,000 parameters: status", b)
	testkit.Equal(t, s.memory.used.Load(), 0, "bytes are still held")
}

// Request bodies of every length are read, with and without a Content-Length header.
func TestBodiesOfEveryLength(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 3<<16)
	own := &share{of: &memory{most: 1 << 30}}
	for _, n := range []int{0, 1, firstRead - 1, firstRead, firstRead + 1, 16 * firstRead, 16*firstRead + 7, 1 << 20,
		3 << 20} {
		for _, length := range []int{-1, n, 4 << 20} {
			got := testkit.Must(readGrowing(bytes.NewReader(text[:n]), length, own))(t)
			testkit.EqualSlices(t, got, text[:n], n, "bytes, announced as", length, len(got))
			if own.used != int64(cap(got)) || cap(got) > max(4*n, firstRead)+16*firstRead {
				t.Errorf("%d bytes, announced as %d: %d are charged, %d held", n, length, own.used, cap(got))
			}
			own.release()
		}
	}
}
