package demo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/internal/eeg/synth"
	"rao/internal/testkit"
	"rao/model"
)

// The model can be loaded and has as many channels as the signal, which is one minute long.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	signal := testkit.Must(Write(t.Context(), dir))(t)
	m := testkit.Must(model.Load(filepath.Join(dir, "rhythms.rao")))(t)
	lines := strings.Split(strings.TrimSpace(testkit.Text(t, signal)), "\n")
	if channels := len(synth.RhythmChannels); len(lines) != 1+60*synth.RhythmRate || m.Input.Dim != channels ||
		strings.Count(lines[60], ",") != channels-1 {
		t.Errorf("%d lines, %q, a model of %d channels", len(lines), lines[60], m.Input.Dim)
	}
}

// Every recording has a signal and events, and the steps name files that exist or that an earlier step writes.
func TestRecordings(t *testing.T) {
	dir := t.TempDir()
	recs, err := WriteRecordings(dir)
	if err != nil || len(recs) != 3 {
		t.Fatal(len(recs), err)
	}
	written := map[string]bool{}
	for _, step := range Steps(dir) {
		for i, arg := range step.Args {
			if !strings.HasPrefix(arg, dir) {
				continue
			}
			if before := step.Args[i-1]; before == "--out" || before == "--html" {
				written[arg] = true
			} else if _, err := os.Stat(arg); err != nil && !written[arg] {
				t.Errorf("%q reads %s, which no step before it writes", step.Args, arg)
			}
		}
	}
	b := testkit.Must(os.ReadFile(filepath.Join(dir, "s3_events.csv")))(t)
	testkit.Equal(t, bytes.Count(b, []byte("\n")), 1+len(recs[2].Events), fmt.Sprintf("%q", b))
}
