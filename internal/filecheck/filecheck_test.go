package filecheck_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/filecheck"
	"rao/internal/format/archive"
	"rao/internal/testkit"
)

// A registered reader reads the files that it recognizes and files that are not data. A table is data.
func TestReadersOfOtherKinds(t *testing.T) {
	filecheck.Register(filecheck.Reader{Kind: "note", Claims: func(path string) bool {
		return strings.HasSuffix(path,
			".note")
	},
		Read: func(path string) (string, error) {
			b, err := os.ReadFile(path)
			if err == nil && !strings.HasPrefix(string(b), "note ") {
				err = dataset.ErrUnknownFormat
				if strings.HasSuffix(path, ".note") {
					err = errors.New("no note begins like this")
				}
			}
			return string(b), err
		}})
	dir := t.TempDir()
	for _, c := range []struct{ name, text, kind, bad string }{
		{"a.note", "note one", "note", ""},
		{"b.note", "x,y\n1,2\n", "file", "no note begins like this"},
		{"c", "note \x00two", "note", ""},
		{"d.csv", "x,y,label\n1,2,a\n3,4,b\n", "data (table)", ""},
		{"e.csv", "x,y,label\n1,2,a\n3,b\n", "data (table)", "line 3"},
		{"texts.csv", "name,age\nann,3\nbob,\n", "data (table)", ""},
		{"ragged.csv", "name,age\nann,3\nbob\n", "data (table)", "line 3"},
		{"essay.txt", "hello\nworld\n", "data (table)", "is not a number"},
		{"essay.md", "# A title, with a comma\n\nAnd text\n", "data (table)",
			"rao does not recognize this kind of file"},
		{"x.dll", "\x00\x01\x02", "file",
			"recognize this kind of file, so nothing was checked; verify reads models, statistics, ledgers, data and " +
				"notes"},
		{"f.csv", "", "file", "the file is empty; copy it again"},
		{"h.json", `{"site": "a", "budget": {"epsilon": 4, "delta": 1e-6}, "releases": [{"rho": 0.02, "what": "all"}]}`,
			"ledger", ""},
		{"later.json", `{"site": "a", "budget": {"epsilon": 4, "delta": 1e-6}, "later": 1}`, "ledger", "later"},
		{"cut.json", `{"site": "a", "budget": {"epsil`, "ledger", "not a ledger of releases"},
		{"g.csv", "x,\xe9,label\n1,2,a\n", "data (table)", "line 1 is not UTF-8 text; set --csv encoding=latin-1"},
	} {
		path := filepath.Join(dir, c.name)
		testkit.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
		v := filecheck.File(context.Background(), path)
		testkit.Equal(t, v.Unknown, strings.Contains(c.bad, "recognize this kind"), c.name, "unknown")
		if v.OK != (c.bad == "") || v.Kind != c.kind || !strings.Contains(v.Error, c.bad) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	if v := filecheck.File(context.Background(), filepath.Join(dir, "absent")); v.OK ||
		v.Error != "no such file or folder; check the name" {
		t.Errorf("a missing file: %+v", v)
	}
}

// A file of rao whose manifest is damaged or of a later version is bad, although its arrays could be data.
func TestLaterFilesAreNotData(t *testing.T) {
	dir := t.TempDir()
	means := archive.Array{Name: "means", Shape: []int{1, 2, 2}, Float64: []float64{1, 0, 0, 1}}
	for kind, want := range map[string]string{"forecast": `kind "forecast" is unknown to this version of rao`,
		"": `kind "" is unknown to this version of rao`} {
		path := filepath.Join(dir, "k.npz")
		testkit.NoError(t, archive.Write(path, map[string]string{"kind": kind}, []archive.Array{means}))
		if v := filecheck.File(context.Background(), path); v.OK || !strings.Contains(v.Error, want) {
			t.Errorf("kind %q: %+v", kind, v)
		}
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.Create(archive.Manifest)
	if err == nil {
		_, err = w.Write([]byte(`{"rao_format": 7, "meta": {"kind": "statistics"}}`))
	}
	testkit.NoError(t, err)
	path := filepath.Join(dir, "later.npz")
	testkit.NoError(t, errors.Join(z.Close(), os.WriteFile(path, out.Bytes(), 0o600)))
	if v := filecheck.File(context.Background(), path); v.OK || !strings.Contains(v.Error, "the file has format 7") {
		t.Errorf("a later format: %+v", v)
	}
}

// A model of another program, without a version and counts of observations, is described without them.
func TestModelOfAnotherProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.rao")
	meta := json.RawMessage(`{"kind": "model",
		"model": {"method": "lda", "classes": ["no", "yes"], "input": {"kind": "vectors", "dim": 1}},
		"classifier": {"type": "qda", "value": {"classes": ["no", "yes"], "shrinkage": "none",
			"priors": {"array": "classifier.priors"}, "means": {"array": "classifier.means"},
			"covariances": {"array": "classifier.covariances"}}}}`)
	testkit.NoError(t, archive.Write(path, meta, []archive.Array{
		{Name: "classifier.priors", Shape: []int{2}, Float64: []float64{0.5, 0.5}},
		{Name: "classifier.means", Shape: []int{2, 1}, Float64: []float64{0, 2}},
		{Name: "classifier.covariances", Shape: []int{2, 1, 1}, Float64: []float64{1, 2}}}))
	v := filecheck.File(context.Background(), path)
	testkit.Equal(t, v.Error, "", "error")
	testkit.Equal(t, v.What, "lda of 2 classes", "description")
}
