package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// benchmark sends the same request from several clients at a time and reports rows a second.
func benchmark(b *testing.B, rows int, binary bool) {
	_, server := newServer(b, Options{})
	x := mat.NewDense(rows, 64, nil)
	for i := range rows {
		x.SetRow(i, mat.Row(nil, i, digitsX.X))
	}
	head := fmt.Sprintf(`{"inputs":[{"name":"X","shape":[%d,64],"datatype":"FP64","data":`, rows)
	var body []byte
	length := ""
	if binary {
		raw := float64s(x.RawMatrix().Data)
		head = fmt.Sprintf(`{"inputs":[{"name":"X","shape":[%d,64],"datatype":"FP64","parameters":{"binary_data_size":%d}}],"parameters":{"binary_data_output":true}}`, rows, len(raw))
		body, length = append([]byte(head), raw...), strconv.Itoa(len(head))
	} else {
		data, err := json.Marshal(x.RawMatrix().Data)
		if err != nil {
			b.Fatal(err)
		}
		body = append(append([]byte(head), data...), "}]}"...)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			req, err := http.NewRequest("POST", server.URL+"/v2/models/digits/infer", bytes.NewReader(body))
			if err != nil {
				b.Error(err)
				return
			}
			if length != "" {
				req.Header.Set(headerLength, length)
			}
			resp, err := client.Do(req)
			if err != nil {
				b.Error(err)
				return
			}
			if n, err := io.Copy(io.Discard, resp.Body); err != nil || n == 0 || resp.StatusCode != 200 {
				b.Errorf("status %d, %d bytes, %v", resp.StatusCode, n, err)
			}
			resp.Body.Close()
		}
	})
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkSingleJSON(b *testing.B)   { benchmark(b, 1, false) }
func BenchmarkSingleBinary(b *testing.B) { benchmark(b, 1, true) }
func BenchmarkBatchJSON(b *testing.B)    { benchmark(b, 256, false) }
func BenchmarkBatchBinary(b *testing.B)  { benchmark(b, 256, true) }
