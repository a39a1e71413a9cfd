package learn_test

import (
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"

	"rao/cmd/rao/internal/app"
)

// An option without a value has the declared value, at any position in the command line.
func TestOptionsThatStandAlone(t *testing.T) {
	for args, want := range map[string]string{
		"fit mdm --adapt --data x":       "fit mdm --adapt=balanced --data x",
		"fit mdm --data x --adapt":       "fit mdm --data x --adapt=balanced",
		"fit mdm --adapt causal --out y": "fit mdm --adapt causal --out y",
		"fit mdm --adapt=bias --out y":   "fit mdm --adapt=bias --out y",
		"fit mdm -- --adapt":             "fit mdm -- --adapt",
	} {
		testkit.EqualSlices(t, app.Completed(strings.Fields(args)), strings.Fields(want), args, "got")
	}
}

// --adapt without a value means balanced; rao show prints the adaptation.
func TestAdaptInTheTool(t *testing.T) {
	dir := t.TempDir()
	data, m := filepath.Join(dir, "x.npz"), filepath.Join(dir, "m.rao")
	tooltest.Persons(t, data, 1, 60)
	for _, c := range []struct{ flags, how string }{{"--adapt", "balanced"},
		{"--adapt center", "center"}, {"--adapt causal", "causal"}} {
		args := append([]string{"fit", "mdm", "--data", data, "--out", m, "--force"}, strings.Fields(c.flags)...)
		tooltest.Succeeds(t, args...)
		testkit.Contains(t, tooltest.Output(t, "show", m), "adaptation ("+c.how+", ", c.flags)
	}
}
