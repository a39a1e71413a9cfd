package paper

import (
	"os"
	"path/filepath"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

func TestScripts(t *testing.T) { tooltest.Scripts(t, "testdata/script", nil, nil) }

// A folder of results can be written again; a folder that rao did not make is an error.
func TestFoldersOfResults(t *testing.T) {
	dir := t.TempDir()
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "index.html"), []byte("<!doctype html><title>mine</title>"),
		0o600))
	run := []string{"paper", "run", "sqfa-fig2", "--short", "--quiet", "--out"}
	tooltest.Exits(t, 1, "is not a folder that is empty or was made by rao", append(run, dir)...)
	if testing.Short() {
		return // a script runs the experiment once
	}
	out := filepath.Join(t.TempDir(), "res")
	for range 2 {
		tooltest.Succeeds(t, append(run, out)...)
	}
}
