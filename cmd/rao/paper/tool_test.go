package paper

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

func TestScripts(t *testing.T) { tooltest.Scripts(t, "testdata/script", nil, nil) }

// A folder of results is filled again; one that rao did not make is not filled.
func TestFoldersOfResults(t *testing.T) {
	dir := t.TempDir()
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "index.html"), []byte("<!doctype html><title>mine</title>"),
		0o600))
	run := []string{"paper", "run", "sqfa-fig2", "--short", "--quiet", "--out"}
	if status, _, said := tooltest.Run(t, append(run, dir)...); status != 1 ||
		!strings.Contains(said, "is a folder that is not empty or made by rao") {
		t.Errorf("exit status %d, %q", status, said)
	}
	if testing.Short() {
		return // a script runs the experiment once
	}
	out := filepath.Join(t.TempDir(), "res")
	for range 2 {
		if status, _, said := tooltest.Run(t, append(run, out)...); status != 0 {
			t.Errorf("exit status %d, %s", status, said)
		}
	}
}
