package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The figures of a model of images, in all formats, with a page; and what cannot be drawn is
// said.
func TestPlot(t *testing.T) {
	m, out := filepath.Join(t.TempDir(), "m.rao"), filepath.Join(t.TempDir(), "figs")
	if status, _, said := runTool(t, "fit", "lda", "--data", "digits:train", "--out", m); status != 0 {
		t.Fatal(said)
	}
	args := []string{"plot", "--model", m, "--data", "digits:test", "--out", out, "--format", "svg,png,pdf"}
	for range 2 { // the folder is known again
		if status, _, said := runTool(t, args...); status != 0 {
			t.Fatalf("exit status %d, %s", status, said)
		}
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
	status, text, said := runTool(t, "plot", "--model", m, "--out", filepath.Join(t.TempDir(), "f"), "--size", "4x16")
	if status != 0 || text != "filters.svg filters.png\n1 figure, and a page, index.html, in "+
		""+strings.TrimSpace(text[strings.Index(text, " in ")+4:])+"\n" {
		t.Errorf("exit status %d, %s%q", status, text, said)
	}
	for want, flags := range map[string][]string{
		"--size 5x5: that is 25 values": {"--size", "5x5"},
		"want ROWSxCOLUMNS":             {"--size", "big"},
		"unknown format":                {"--format", "gif"},
		"--out is required":             {},
	} {
		args := append([]string{"plot", "--model", m}, flags...)
		if len(flags) > 0 {
			args = append(args, "--out", filepath.Join(t.TempDir(), "g"))
		}
		if status, _, said := runTool(t, args...); status == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: exit status %d, %q", flags, status, said)
		}
	}
}

// Matrices are drawn in their tangent space, and those of electrodes as maps, a row a band; the
// page of evaluate has the same.
func TestPlotMatrices(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"data", "recording", "--trials", "24", "--out", at("r.xdf")},
		{"eeg", "cov", at("r.xdf"), "--classes", "left=left,right=right", "--start", "0.5", "--stop", "3.5", "--bands",
			"8-13,18-26", "--out", at("P.npz")},
		{"fit", "mdm", "--data", at("P.npz"), "--out", at("m.rao")},
		{"plot", "--model", at("m.rao"), "--data", at("P.npz"), "--out", at("figs"), "--format", "svg"},
		{"evaluate", "--model", at("m.rao"), "--data", at("P.npz"), "--allow-overlap", "--html", at("e.html")},
	} {
		if status, _, said := runTool(t, args...); status != 0 {
			t.Fatalf("%v: exit status %d, %s", args, status, said)
		}
	}
	for name, want := range map[string][]string{
		"figs/tangent-space.svg": {"principal component 2"},
		"figs/class-power.svg":   {"left, 8-13", "right, 18-26"},
		"e.html":                 {"Reliability", "tangent space", "left, 8-13", "Confusions", "decided on"},
	} {
		b, err := os.ReadFile(at(name))
		if err != nil {
			t.Error(err)
		}
		for _, w := range want {
			if !strings.Contains(string(b), w) {
				t.Errorf("%s has no %q", name, w)
			}
		}
	}
}
