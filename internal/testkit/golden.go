package testkit

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"testing"
)

// ReadJSON decodes a JSON file into v, for example a file of golden numbers.
func ReadJSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	NoError(t, err)
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Gunzip returns the content of a gzip file.
func Gunzip(t testing.TB, path string) []byte {
	t.Helper()
	f := Must(os.Open(path))(t)
	defer f.Close()
	return Must(io.ReadAll(Must(gzip.NewReader(f))(t, path)))(t, path)
}
