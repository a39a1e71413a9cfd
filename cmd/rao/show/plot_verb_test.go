package show_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

// The figures of a model of images are drawn in all formats and on a page, and figures that cannot be drawn are
// reported.
func TestPlot(t *testing.T) {
	m, out := filepath.Join(t.TempDir(), "m.rao"), filepath.Join(t.TempDir(), "figs")
	tooltest.Succeeds(t, "fit", "lda", "--data", "digits:train", "--out", m)
	args := []string{"plot", "--model", m, "--data", "digits:test", "--out", out, "--format", "svg,png,pdf"}
	for k := range 2 { // the folder is known again
		if k == 1 && testing.Short() {
			break
		}
		tooltest.Succeeds(t, args...)
	}
	for _, name := range []string{"filters", "features", "confusion", "reliability", "risk"} {
		for ext, start := range map[string]string{".svg": "<svg", ".png": "\x89PNG", ".pdf": "%PDF"} {
			if b, err := os.ReadFile(filepath.Join(out, name+ext)); err != nil || !strings.HasPrefix(string(b), start) {
				t.Errorf("%s%s: %v, %.20q", name, ext, err, b)
			}
		}
	}
	if b, err := os.ReadFile(filepath.Join(out, "index.html")); err != nil || strings.Count(string(b), "<figure") < 5 {
		t.Errorf("the page: %v", err)
	}
	status, text, said := tooltest.Run(t, "plot", "--model", m, "--out", filepath.Join(t.TempDir(), "f"), "--size",
		"4x16")
	if status != 0 || text != "filters.svg filters.png\n1 figure, and a page, index.html, in "+
		""+strings.TrimSpace(text[strings.Index(text, " in ")+4:])+"\n" {
		t.Errorf("exit status %d, %s%q", status, text, said)
	}
	for want, flags := range map[string][]string{
		"--size 5x5 gives 25": {"--size", "5x5"},
		"give ROWSxCOLS":      {"--size", "big"},
		"unknown format":      {"--format", "gif"},
		"--out is required":   {},
	} {
		args := append([]string{"plot", "--model", m}, flags...)
		if len(flags) > 0 {
			args = append(args, "--out", filepath.Join(t.TempDir(), "g"))
		}
		tooltest.Fails(t, want, args...)
	}
}
