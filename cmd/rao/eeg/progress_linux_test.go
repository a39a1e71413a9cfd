package eeg

import (
	"bytes"
	"testing"

	"rao/cmd/rao/cli"
	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// Commands that read a recording from start to end show on a terminal how far they are.
func TestRecordingsShowProgress(t *testing.T) {
	dir := t.TempDir()
	rec := liveRecording(t, dir)
	m := liveModel(t, dir, rec)
	for _, c := range []struct {
		want string
		line []string
	}{
		{"0/", []string{"stream", rec, "--model", m, "--step", "1"}},
		{"0/", []string{"stream", rec, "--model", m, "--at", "all", "--start", "0.5"}},
		{"diagonalize", []string{"clean", rec, "--low", "1", "--high", "40"}},
	} {
		screen, terminal := tooltest.Terminal(t)
		status := cli.Run(append([]string{"eeg"}, c.line...), nil, &bytes.Buffer{}, terminal)
		testkit.Equal(t, status, 0, "exit status", c.line, screen.String())
		if want := "rao eeg " + c.line[0] + " "; !screen.Shows(want) || !screen.Shows(c.want) {
			t.Errorf("%q: %q is not shown: %q", c.line, c.want, screen.String())
		}
	}
}
