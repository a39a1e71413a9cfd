package data_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// verify distinguishes complete files from damaged ones and describes them.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	train, matrices := tooltest.Generated(t, dir, "toy1", 30, 1), tooltest.Generated(t, dir, "syn1", 6, 1)
	for _, line := range [][]string{{"stats", "--data", train, "--out", at("s.npz")},
		{"fit", "lda", "--data", train, "--filters", "2", "--out", at("m.rao")}} {
		tooltest.Succeeds(t, line...)
	}
	status, out, said := tooltest.Run(t, "verify", at("m.rao"), at("s.npz"), train, matrices, "../testdata/flag.csv")
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
		whole := testkit.Must(os.ReadFile(at(name)))(t)
		for _, bad := range [][]byte{whole[:len(whole)/2], flipped(whole, len(whole)/3), nil} {
			testkit.NoError(t, os.WriteFile(at("bad"), bad, 0o644))
			if status, out, said := tooltest.Run(t, "verify", at("bad"), "--json"); status != 1 ||
				!strings.Contains(out, `"ok":false`) || !strings.Contains(said, "1 of 1 file failed the check") {
				t.Errorf("%s, %d of %d bytes: exit status %d, %s%s", name, len(bad), len(whole), status, out, said)
			}
		}
	}
	if _, err := os.Stat("/dev/zero"); err == nil { // without an end
		status, out, _ := tooltest.Run(t, "verify", "/dev/zero")
		testkit.Equal(t, status, 1, "a device: exit status", out)
		testkit.Contains(t, out, "which may never end", "a device: exit status")
	}
	if status, out, _ := tooltest.Run(t, "verify", at("absent")); status != 1 || !strings.Contains(out,
		"absent: bad: ") {
		t.Errorf("exit status %d, %s", status, out)
	}
	testkit.NoError(t, os.WriteFile(at("t.csv"), []byte("a,color,class\n1,red,x\n2,blue,y\n"), 0o644))
	testkit.NoError(t, os.WriteFile(at("t.json"), []byte("{\n\"a\": 1, \"b\": 2\n}\n"), 0o644))
	testkit.NoError(t, os.MkdirAll(at("bids/sub-01/eeg"), 0o755))
	testkit.NoError(t, os.WriteFile(at("bids/dataset_description.json"), []byte("{}"), 0o644))
	for _, c := range []struct {
		name, want string
		status     int
	}{
		{"bids", "unknown: the folder is a BIDS study, and verify reads files; give its recordings", 1},
		{"t.csv", "2 rows of 3 columns, 2 with texts, 0 empty cells", 0},
		{"t.json", "unknown: rao does not recognize this kind of file", 1},
	} {
		status, out, _ := tooltest.Run(t, "verify", at(c.name))
		testkit.Contains(t, out, c.want, c.name, "exit status")
		testkit.Equal(t, status, c.status, c.name, "exit status")
	}
	trials := at("trials.npz")
	tooltest.Persons(t, trials, 1, 8)
	if _, _, said := tooltest.Run(t, "show", trials); !strings.Contains(said, "the file contains data, not a model") {
		t.Error(said)
	}
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 0x10
	return b
}
