package show_test

import (
	"path/filepath"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// show writes one filter in the singular.
func TestShowOfOneFilter(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "m.rao")
	data := tooltest.Generated(t, dir, "toy1", 30, 1)
	tooltest.Succeeds(t, "fit", "pca", "--data", data, "--filters", "1", "--out", file)
	out := tooltest.Output(t, "show", file)
	for _, want := range []string{": 6 values → 1 value\n", "qda: 1 value → 3 classes"} {
		testkit.Contains(t, out, want)
	}
}
