package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"

	"rao/internal/testkit"
)

// answerTo is a writer that keeps nothing of an answer.
type answerTo struct{ head http.Header }

func (a *answerTo) Header() http.Header         { return a.head }
func (a *answerTo) Write(b []byte) (int, error) { return len(b), nil }
func (a *answerTo) WriteHeader(int)             {}

// inferBody returns a request for a decision on the first rows of the digits, and for a binary request the length of
// its JSON.
func inferBody(rows int, binary bool) (body []byte, header string) {
	x := rowsOf(digitsX, rows)
	const outputs = `"outputs":[{"name":"label"},{"name":"posterior"},{"name":"rejected"},{"name":"outlier"}]`
	if binary {
		values := float64s(x.RawMatrix().Data)
		head := fmt.Appendf(nil, `{"parameters":{"binary_data_output":true},"inputs":[{"name":"X","datatype":"FP64",`+
			`"shape":[%d,64],"parameters":{"binary_data_size":%d}}],%s}`, rows, len(values), outputs)
		return append(head, values...), strconv.Itoa(len(head))
	}
	body = fmt.Appendf(nil, `{"inputs":[{"name":"X","datatype":"FP64","shape":[%d,64],"data":[`, rows)
	for i, v := range x.RawMatrix().Data {
		if i > 0 {
			body = append(body, ',')
		}
		body = strconv.AppendFloat(body, v, 'g', -1, 64)
	}
	return append(body, "]}],"+outputs+"}"...), ""
}

// BenchmarkInfer times what the server does for a request, without the network.
func BenchmarkInfer(b *testing.B) {
	s, _ := newServer(b, Options{})
	for _, c := range []struct {
		name   string
		rows   int
		binary bool
	}{{"1-json", 1, false}, {"1-binary", 1, true}, {"256-json", 256, false}, {"256-binary", 256, true}} {
		b.Run(c.name, func(b *testing.B) {
			body, header := inferBody(c.rows, c.binary)
			in := bytes.NewReader(body)
			r := testkit.Must(http.NewRequest("POST", "http://localhost/v2/models/digits/infer", nil))(b)
			if header != "" {
				r.Header.Set(headerLength, header)
			}
			b.ReportAllocs()
			for b.Loop() {
				in.Reset(body)
				r.Body, r.ContentLength = io.NopCloser(in), int64(len(body))
				w := &answerTo{http.Header{}}
				if s.ServeHTTP(w, r); (w.head.Get(headerLength) != "") != c.binary {
					b.Fatal("no answer")
				}
			}
		})
	}
}
