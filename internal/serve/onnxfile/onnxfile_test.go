package onnxfile_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"rao/dataset"
	"rao/internal/serve/onnxfile"
	"rao/internal/testkit"
	"rao/method"
	"rao/serve/onnx"
)

// A graph of rao is described. Shorter files, and files of another kind, are errors without a panic.
func TestDescribe(t *testing.T) {
	m := testkit.Must(method.Lookup("lda"))(t)
	d := &dataset.Data{X: dataset.NewTable(6, 2, []float64{0, 1, 1, 0, 0, 0, 5, 6, 6, 5, 5, 5}),
		Labels: []int{0, 0, 0, 1, 1, 1}, Classes: []string{"a", "b"}}
	fitted := testkit.Must(m.Fit(context.Background(), method.InMemory{Data: d}, nil, nil))(t)
	var b bytes.Buffer
	testkit.NoError(t, onnx.Export(context.Background(), &b, fitted, onnx.ExportOptions{}))
	path := filepath.Join(t.TempDir(), "m.onnx")
	describe := func(b []byte) (string, error) {
		testkit.NoError(t, os.WriteFile(path, b, 0o600))
		return onnxfile.Describe(path)
	}
	what := testkit.Must(describe(b.Bytes()))(t)
	testkit.Contains(t, what, "output label, probabilities, written by rao ")
	// The file ends with metadata, which a truncated file may lack; the graph comes before it.
	graph := bytes.LastIndex(b.Bytes(), []byte("probabilities"))
	for n := 0; n < graph; n += 5 {
		if what, err := describe(b.Bytes()[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are described as %q", n, b.Len(), what)
		}
	}
	testkit.Fails(t, testkit.ErrorOf(describe([]byte("an essay about graphs"))), "a text is a graph")
}
