package learn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// Without a search, the line about the model names no options.
func TestTuneWithoutSearchNamesNoOptions(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "t.csv")
	testkit.NoError(t, os.WriteFile(data, []byte("a,class\n"+strings.Repeat("1,x\n2,x\n4,y\n5,y\n", 6)), 0o644))
	said := tooltest.Succeeds(t, "tune", "lda-raw", "--data", data, "--threshold-rule", "f1", "--out",
		filepath.Join(dir, "m.rao"))
	testkit.Contains(t, said, "fitted to all the data and written to ")
}
