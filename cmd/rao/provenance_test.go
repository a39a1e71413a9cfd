package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rao/dataset"
	"rao/synth"
)

// made writes a generated set and returns its path.
func made(t *testing.T, dir, name string, perClass int, seed uint64) string {
	t.Helper()
	d, err := synth.Generate(name, synth.GenerateOptions{PerClass: perClass, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name+string(rune('a'+seed))+".npz")
	if err := dataset.WriteFile(path, d); err != nil {
		t.Fatal(err)
	}
	return path
}

// Equal fits are equal bytes, wherever and whenever they are made.
func TestEqualFitsAreEqualBytes(t *testing.T) {
	dir := t.TempDir()
	vectors, matrices := made(t, dir, "toy1", 40, 1), made(t, dir, "syn1", 12, 1)
	for _, fit := range []string{"pca", "sqfa", "fa", "ica", "lmnn", "mdm", "plrsq", "tslr", "svm-spd"} {
		data, more := vectors, []string{"--filters", "2"}
		if strings.Contains("mdm plrsq tslr svm-spd", fit) {
			data, more = matrices, nil
		}
		var files [2][]byte
		for i, out := range []string{"one.rao", "two.rao"} {
			line := append([]string{"fit", fit, "--data", data, "--out", filepath.Join(dir, fit+out)}, more...)
			if status, _, said := runTool(t, line...); status != 0 {
				t.Fatalf("%q: exit status %d, %s", line, status, said)
			}
			var err error
			if files[i], err = os.ReadFile(filepath.Join(dir, fit+out)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%s: two equal fits differ in the file", fit)
		}
	}
}

// Rows that count twice, and scores on training rows, are noticed.
func TestOverlapIsNoticed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	train, other := made(t, dir, "toy1", 60, 1), made(t, dir, "toy1", 60, 2)
	for _, line := range [][]string{
		{"stats", "--data", train, "--out", at("a.npz")}, {"stats", "--data", other, "--out", at("b.npz")},
		{"stats", "merge", at("a.npz"), at("b.npz"), "--out", at("ab.npz")},
		{"fit", "lda", "--stats", at("ab.npz"), "--filters", "2", "--out", at("s.rao")},
		{"fit", "lda", "--data", train, "--filters", "2", "--out", at("d.rao")},
	} {
		if status, _, said := runTool(t, line...); status != 0 {
			t.Fatalf("%q: exit status %d, %s", line, status, said)
		}
	}
	for _, line := range [][]string{{at("a.npz"), at("a.npz")}, {at("ab.npz"), at("b.npz")}} {
		line = append([]string{"stats", "merge", "--out", at("x.npz")}, line...)
		if status, _, said := runTool(t, line...); status != 1 ||
			!strings.Contains(said, "in common, which would count twice") {
			t.Errorf("%q: exit status %d, %q", line, status, said)
		}
		if status, _, said := runTool(t, append(line, "--allow-overlap")...); status != 0 {
			t.Errorf("%q: exit status %d, %q", line, status, said)
		}
	}
	for _, c := range []struct {
		model, data string
		overlap     bool
	}{{"d.rao", train, true}, {"d.rao", other, false}, {"s.rao", train, true}, {"s.rao", other, true}} {
		_, out, said := runTool(t, "evaluate", "--model", at(c.model), "--data", c.data, "--json")
		if noticed := strings.Contains(said, "about 100 % of these observations were among those the model was "+
			"fitted to"); noticed != c.overlap || strings.Contains(out, `"overlap":1`) != c.overlap {
			t.Errorf("%s on %s: %q, %s", c.model, c.data, said, out)
		}
		if _, _, said := runTool(t, "evaluate", "--model", at(c.model), "--data", c.data,
			"--allow-overlap"); strings.Contains(said, "were among") {
			t.Errorf("--allow-overlap: %q", said)
		}
		if !strings.Contains(out, `"provenance":{"version":"`) || !strings.Contains(out, `"kernel":"`) ||
			!strings.Contains(out, `"digest":"`) {
			t.Errorf("no provenance in %s", out)
		}
	}
	if _, _, said := runTool(t, "compare", "--train", train, "--test", train, "--methods", "pca", "--filters",
		"2"); !strings.Contains(said, "100 % of the test observations are among the training ones") {
		t.Errorf("compare said %q", said)
	}
}

// verify tells whole files from others, and what they are.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	train, matrices := made(t, dir, "toy1", 30, 1), made(t, dir, "syn1", 6, 1)
	for _, line := range [][]string{{"stats", "--data", train, "--out", at("s.npz")},
		{"fit", "lda", "--data", train, "--filters", "2", "--out", at("m.rao")}} {
		if status, _, said := runTool(t, line...); status != 0 {
			t.Fatalf("%q: exit status %d, %s", line, status, said)
		}
	}
	status, out, said := runTool(t, "verify", at("m.rao"), at("s.npz"), train, matrices, "testdata/flag.csv")
	if status != 0 {
		t.Errorf("exit status %d, %s", status, said)
	}
	for _, want := range []string{"m.rao: model, lda of 3 classes, fitted to 90 observations by rao ",
		"with the kernel ", "s.npz: statistics, 3 classes in 6 dimensions, 90 observations in 1 part",
		"data (npz), 90 rows of 6 values, 3 classes", "data (npz), 24 matrices of order 10, 4 classes",
		"flag.csv: data (table), "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	for _, name := range []string{"m.rao", "s.npz", filepath.Base(train)} {
		whole, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range [][]byte{whole[:len(whole)/2], flipped(whole, len(whole)/3), nil} {
			if err := os.WriteFile(at("bad"), bad, 0o644); err != nil {
				t.Fatal(err)
			}
			if status, out, said := runTool(t, "verify", at("bad"), "--json"); status != 1 ||
				!strings.Contains(out, `"ok":false`) || !strings.Contains(said, "1 of 1 file is not whole") {
				t.Errorf("%s, %d of %d bytes: exit status %d, %s%s", name, len(bad), len(whole), status, out, said)
			}
		}
	}
	if _, err := os.Stat("/dev/zero"); err == nil { // without an end
		status, out, _ := runTool(t, "verify", "/dev/zero")
		if status != 1 || !strings.Contains(out, "which may never end") {
			t.Errorf("a device: exit status %d, %s", status, out)
		}
	}
	if status, out, _ := runTool(t, "verify", at("absent")); status != 1 || !strings.Contains(out, "absent: bad: ") {
		t.Errorf("exit status %d, %s", status, out)
	}
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 0x10
	return b
}

// A kernel that is typed wrong is an error of every verb.
func TestKernelIsChecked(t *testing.T) {
	cmd := exec.Command("rao", "data", "list")
	cmd.Env = append(os.Environ(), "RAO_KERNEL=avx")
	if out, err := cmd.CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "RAO_KERNEL=avx: want portable, avx2, avx512 or neon") {
		t.Errorf("%v: %s", err, out)
	}
}
