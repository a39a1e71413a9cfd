package testkit

import (
	"encoding/json"
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
