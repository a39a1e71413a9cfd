package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/model"
)

// oipCase is a request of testdata/oip.json, which describes its fields.
type oipCase struct {
	What, Method, Path string
	Body               json.RawMessage
	Tail               []float64 // binary numbers after the body
	Status             int
	Answer             any
	TailBytes          int  `json:"tail_bytes"`
	AllOutputs         bool `json:"all_outputs"`
}

// oipServer serves a linear discriminant of two columns.
func oipServer(t *testing.T) (*httptest.Server, *entry) {
	t.Helper()
	x := mat.NewDense(6, 2, []float64{0, 1, 1, 0, 0.5, 0.2, 5, 6, 6, 5, 5.5, 5.1})
	stats := testkit.Must(gaussian.Estimate(x, []int{0, 0, 0, 1, 1, 1}, []string{"near", "far"}))(t)
	lda := testkit.Must(classify.FitLDA(stats, classify.LDAOptions{}))(t)
	m := &model.Model{Method: "lda-raw", Classes: lda.Classes, Input: model.Schema{Kind: model.KindVectors, Dim: 2},
		Stages: []model.Stage{&model.Scaling{Scale: []float64{1}}}, Classifier: lda}
	dir := t.TempDir()
	testkit.NoError(t, m.Save(filepath.Join(dir, "where.rao")))
	repo := testkit.Must(Open([]string{dir}, OpenOptions{}))(t)
	e := testkit.Must(repo.find("where", ""))(t)
	server := httptest.NewServer(New(repo, Options{Version: "test"}))
	t.Cleanup(server.Close)
	return server, e
}

// The server answers the requests of the protocol as its specification requires.
func TestOpenInferenceProtocol(t *testing.T) {
	server, e := oipServer(t)
	b := testkit.Must(os.ReadFile("testdata/oip.json"))(t)
	var file struct{ Cases []oipCase }
	testkit.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(string(b), "VERSION", e.version)), &file))
	if len(file.Cases) < 25 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		t.Run(c.What, func(t *testing.T) {
			body, header := []byte(c.Body), []string{"Content-Type", "application/json"}
			if c.Tail != nil {
				header = append(header, headerLength, strconv.Itoa(len(body)))
				body = append(body, float64s(c.Tail)...)
			}
			status, b, h := call(t, c.Method, server.URL+c.Path, body, header...)
			if c.TailBytes > 0 {
				n, err := strconv.Atoi(h.Get(headerLength))
				if err != nil || n < 0 || len(b)-n != c.TailBytes {
					t.Fatalf("%s is %q in %d bytes; want %d behind it", headerLength, h.Get(headerLength), len(b),
						c.TailBytes)
				}
				b = b[:n]
			} else if kind := h.Get("Content-Type"); kind != "application/json" {
				t.Errorf("Content-Type %s", kind)
			}
			var got any
			if err := json.Unmarshal(b, &got); err != nil || status != c.Status {
				t.Fatalf("status %d, want %d; %v: %s", status, c.Status, err, b)
			}
			testkit.Equal(t, differs(got, c.Answer, "answer"), "", "in", b)
			if n := len(e.outputs); c.AllOutputs && len(got.(map[string]any)["outputs"].([]any)) != n {
				t.Errorf("not all %d outputs: %s", n, b)
			}
		})
	}
}

// differs returns the place where the value differs from the pattern, or "" if it does not.
func differs(got, want any, at string) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return at + " is no object"
		}
		for name, v := range w {
			if absent, must := strings.CutPrefix(name, "!"); must {
				if _, there := g[absent]; there {
					return at + "." + absent + " is there"
				}
				continue
			}
			inner, there := g[name]
			if !there {
				return at + "." + name + " is missing"
			}
			if d := differs(inner, v, at+"."+name); d != "" {
				return d
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok {
			return at + " is no list"
		}
		more := len(w) > 0 && w[len(w)-1] == "..."
		if more {
			w = w[:len(w)-1]
		}
		if len(g) < len(w) || len(g) > len(w) && !more {
			return fmt.Sprintf("%s has %d items", at, len(g))
		}
		for i := range g {
			if d := differs(g[i], w[min(i, len(w)-1)], fmt.Sprintf("%s[%d]", at, i)); d != "" {
				return d
			}
		}
		return ""
	case string:
		ok := true
		switch w {
		case "$string":
			_, ok = got.(string)
		case "$bool":
			_, ok = got.(bool)
		case "$number":
			var v float64
			v, ok = got.(float64)
			ok = ok && !math.IsNaN(v)
		default:
			ok = got == want
		}
		if ok {
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf("%s is %v, want %v", at, got, want)
}
