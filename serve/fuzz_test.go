package serve

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
)

// For any body, a request for a decision is answered and the server keeps running.
func FuzzInfer(f *testing.F) {
	s, _ := newServer(f, Options{MaxBody: 1 << 16, MaxRows: 64})
	f.Add([]byte(`{"inputs":[{"name":"X","shape":[1,2],"datatype":"FP32","data":[[1,2]]}],`+
		`"outputs":[{"name":"label"}]}`), 0)
	f.Add([]byte(`{"id":"é\n","inputs":[{"name":"X","shape":[1,1],"datatype":"INT8",`+
		`"parameters":{"binary_data_size":1}}]}a`), 104)
	f.Fuzz(func(t *testing.T, body []byte, head int) {
		for _, path := range []string{"/v2/models/digits/infer", "/v2/models/nearest/infer"} {
			r := httptest.NewRequest("POST", path, bytes.NewReader(body))
			if head != 0 {
				r.Header.Set(headerLength, strconv.Itoa(head))
			}
			answered(t, s, r.WithContext(context.Background()), httptest.NewRecorder())
		}
	})
}

// FuzzPeople does the same for the formats that people send: JSON, CSV, npy and images.
func FuzzPeople(f *testing.F) {
	s, _ := newServer(f, Options{MaxBody: 1 << 16, MaxRows: 64})
	f.Add([]byte(`{"rows":[{"a":1,"b":2},{"b":1,"a":2}]}`), 0)
	f.Add([]byte("a,b\n1,2\n"), 1)
	f.Add([]byte("\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }\n"), 2)
	kinds := []string{"application/json", "text/csv", "application/x-npy", "image/png", "image/jpeg"}
	f.Fuzz(func(t *testing.T, body []byte, kind int) {
		for _, verb := range []string{"predict", "explain"} {
			r := httptest.NewRequest("POST", "/v1/models/digits/"+verb, bytes.NewReader(body))
			r.Header.Set("Content-Type", kinds[uint(kind)%uint(len(kinds))])
			answered(t, s, r, httptest.NewRecorder())
		}
	})
}

// answered sends the request: status 500 is a defect.
func answered(t *testing.T, s *Server, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	s.ServeHTTP(w, r)
	if b, err := io.ReadAll(w.Body); err != nil || len(b) == 0 || w.Code == 500 {
		t.Errorf("status %d: %s", w.Code, b)
	}
}
