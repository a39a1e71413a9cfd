package data_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
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
	out := tooltest.Output(t, "verify", at("m.rao"), at("s.npz"), train, matrices, "../testdata/flag.csv")
	for _, want := range []string{"m.rao: model, lda of 3 classes, fitted to 90 observations by rao ",
		"with the kernel ", "s.npz: statistics, 3 classes in 6 dimensions, 90 observations in 1 part",
		"data (npz), 90 rows of 6 values, 3 classes", "data (npz), 24 matrices of order 10, 4 classes",
		"flag.csv: data (table), "} {
		testkit.Contains(t, out, want)
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
	tooltest.Fails(t, "the file contains data, not a model", "show", trials)
}

// Two columns with one name are refused in statistics and models, by verify and by everything that reads the file.
func TestColumnsOfFilesHaveDifferentNames(t *testing.T) {
	at := testkit.Folder(t)
	var table strings.Builder
	table.WriteString("first,other,class\n")
	for i := range 40 {
		fmt.Fprintf(&table, "%d.5,%d.25,%c\n", i%7, i*i%11, 'x'+rune(i%2))
	}
	testkit.NoError(t, os.WriteFile(at("t.csv"), []byte(table.String()), 0o644))
	alike := func(name string, args ...string) {
		tooltest.Succeeds(t, append(args, "--data", at("t.csv"), "--out", at(name))...)
		testkit.NoError(t, os.WriteFile(at(name), renamedColumn(t, at(name)), 0o644))
	}
	alike("full.npz", "stats")
	alike("pooled.npz", "stats", "--kind", "pooled")
	alike("diagonal.npz", "stats", "--kind", "diagonal")
	alike("groups.npz", "stats", "--subclasses", "2")
	alike("m.rao", "fit", "lda")
	alike("features.rao", "fit", "pca", "--filters", "1", "--classifier", "none")
	const wrong = `"first"; rename one`
	for _, name := range []string{"full.npz", "pooled.npz", "diagonal.npz", "groups.npz", "m.rao", "features.rao"} {
		status, out, _ := tooltest.Run(t, "verify", at(name))
		testkit.Equal(t, status, 1, name)
		testkit.Contains(t, out, wrong, name)
	}
	for _, line := range [][]string{
		{"fit", "lda", "--stats", at("full.npz"), "--out", at("n.rao")},
		{"fit", "lda", "--stats", at("pooled.npz"), "--out", at("n.rao")},
		{"fit", "sqfa", "--stats", at("groups.npz"), "--out", at("n.rao")},
		{"stats", "merge", at("full.npz"), at("full.npz"), "--out", at("n.npz")},
		{"stats", "merge", at("diagonal.npz"), at("diagonal.npz"), "--out", at("n.npz")},
		{"predict", "--model", at("m.rao"), "--data", at("t.csv"), "--out", at("y.csv")},
		{"evaluate", "--model", at("m.rao"), "--data", at("t.csv")},
		{"transform", "--model", at("features.rao"), "--data", at("t.csv"), "--out", at("z.npy")},
		{"show", at("m.rao")},
	} {
		tooltest.Exits(t, 1, wrong, line...)
	}
}

// renamedColumn returns the archive with the column "other" renamed to "first", in text and in UTF-32.
func renamedColumn(t *testing.T, path string) []byte {
	wide := func(s string) []byte { return []byte(strings.Join(strings.Split(s, ""), "\x00\x00\x00")) }
	in := testkit.Must(zip.OpenReader(path))(t)
	defer in.Close()
	var b bytes.Buffer
	out, renamed := zip.NewWriter(&b), false
	for _, f := range in.File {
		r := testkit.Must(f.Open())(t)
		old := testkit.Must(io.ReadAll(r))(t)
		data := bytes.ReplaceAll(old, []byte(`"other"`), []byte(`"first"`))
		data = bytes.ReplaceAll(data, wide("other"), wide("first"))
		renamed = renamed || !bytes.Equal(data, old)
		w := testkit.Must(out.CreateHeader(&zip.FileHeader{Name: f.Name}))(t)
		testkit.Must(w.Write(data))(t)
	}
	testkit.NoError(t, out.Close())
	testkit.Equal(t, renamed, true, path, "has the name")
	return testkit.Reseal(b.Bytes())
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 0x10
	return b
}
