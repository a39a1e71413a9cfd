package eeg

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

// A report is a page that needs nothing else; methods of vectors and missing classes are refused.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	rec, page := filepath.Join(dir, "a.xdf"), filepath.Join(dir, "a.html")
	must(t, "data", "recording", "--trials", "20", "--out", rec)
	args := []string{"eeg", "report", rec, "--start", "0.5", "--stop", "3.5", "--bands", "8-13", "--estimator", "oas",
		"--out", page}
	said := must(t, append(args, "--classes", "left,right", "--title", "A <person>")...)
	b, err := os.ReadFile(page)
	if err != nil || !strings.HasPrefix(said, "1 recording reported") {
		t.Fatal(said, err)
	}
	for _, part := range []string{"<h1>A &lt;person&gt;</h1>", "Spectra", "ERD and ERS", "Spatial patterns",
		"20 of 20 trials",
		"Learning curve", "Drift"} {
		if !strings.Contains(string(b), part) {
			t.Errorf("the page has no %q", part)
		}
	}
	for want, more := range map[string][]string{
		"--classes is required":               nil,
		"want a method of matrices":           {"--classes", "left,right", "--method", "lda-raw"},
		"give recordings or --bids, not both": {"--classes", "left,right", "--bids", t.TempDir()},
	} {
		status, _, said := tooltest.Run(t, append(args, more...)...)
		if status == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: exit %d, %q, want %q", more, status, said, want)
		}
	}
}
