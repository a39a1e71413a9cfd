package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao"
)

// A bar draws a few times a second at most, but a stage that begins is shown at
// once: it may be the long one.
func TestBarShowsEveryStage(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := &bar{out: f}
	for _, stage := range []string{"fit", "calibrate"} {
		for i := range 1000 {
			b.draw("rao fit plrsq", rao.Event{Stage: stage, Done: i, Total: 1000})
		}
	}
	b.clear()
	drawn, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	if s := string(drawn); strings.Count(s, "fit  [") < 1 || strings.Count(s, "calibrate  [") < 1 ||
		strings.Count(s, "\r") > 20 {
		t.Errorf("drawn: %q", s)
	}
}
