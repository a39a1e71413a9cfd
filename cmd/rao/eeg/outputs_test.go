package eeg

import (
	"os"
	"path/filepath"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// Matrices are drawn in their tangent space, and matrices of electrodes as maps, one row per band. The page of evaluate
// has the same figures.
func TestPlotMatrices(t *testing.T) {
	at := testkit.Folder(t)
	for _, args := range [][]string{
		{"data", "recording", "--trials", "24", "--out", at("r.xdf")},
		{"eeg", "cov", at("r.xdf"), "--classes", "left=left,right=right", "--start", "0.5", "--stop", "3.5", "--bands",
			"8-13,18-26", "--out", at("P.npz")},
		{"fit", "mdm", "--data", at("P.npz"), "--out", at("m.rao")},
		{"plot", "--model", at("m.rao"), "--data", at("P.npz"), "--out", at("figs"), "--format", "svg"},
		{"evaluate", "--model", at("m.rao"), "--data", at("P.npz"), "--allow-overlap", "--html", at("e.html")},
	} {
		tooltest.Succeeds(t, args...)
	}
	for name, want := range map[string][]string{
		"figs/tangent-space.svg": {"principal component 2"},
		"figs/class-power.svg":   {"left, 8-13", "right, 18-26"},
		"e.html":                 {"Reliability", "tangent space", "left, 8-13", "Confusions", "accepted decisions"},
	} {
		b := testkit.Must(os.ReadFile(at(name)))(t)
		for _, w := range want {
			testkit.Contains(t, string(b), w, name, "has no")
		}
	}
}

// A command does not overwrite a file of a recording that it reads.
func TestOutputsInRecordings(t *testing.T) {
	dir := t.TempDir()
	header := filepath.Join(dir, "r.vhdr")
	for _, name := range []string{header, filepath.Join(dir, "r.eeg")} {
		testkit.NoError(t, os.WriteFile(name, []byte("x"), 0o644))
	}
	tooltest.Exits(t, 2, "an output must not be an input", "eeg", "cov", header, "--classes", "a=1", "--out",
		filepath.Join(dir, "r.eeg"), "--force")
}
