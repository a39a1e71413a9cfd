package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"rao/internal/provenance"
	"rao/internal/testkit"
)

// Data files of rao contain the digests of their arrays and the origin of the data. A changed, missing or added array
// is named, even if the zip file is intact.
func TestDataCarryTheirProvenance(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.npz")
	d := &Data{X: NewTable(2, 2, []float64{1, 2, 3, 4}), Labels: []int{0, 1}, Classes: []string{"a", "b"},
		From: []provenance.Part{{Rows: 7, Digest: "abc"}}}
	testkit.NoError(t, WriteFile(path, d))
	p, err := provenance.CheckFile(path)
	from := provenance.Origin{Rows: 7, Digest: "abc"}
	if err != nil || p == nil || len(p.From) != 1 || p.From[0] != from || p.Version == "" || p.Kernel == "" {
		t.Fatalf("provenance %+v, %v", p, err)
	}
	back, err := Open(context.Background(), path, OpenOptions{})
	if err != nil || back.Vars[provenance.Variable] != nil || back.N() != 2 {
		t.Errorf("the provenance is taken for a variable of the data: %v, %v", back, err)
	}
	for want, change := range map[string]func(map[string][]byte){
		"array X does not match its digest": func(e map[string][]byte) { e["X.npy"][len(e["X.npy"])-1] ^= 1 },
		"array y is missing":                func(e map[string][]byte) { delete(e, "y.npy") },
		"array z has no digest":             func(e map[string][]byte) { e["z.npy"] = e["X.npy"] },
		"is not a record of provenance":     func(e map[string][]byte) { e["provenance.npy"] = e["y.npy"] },
	} {
		other := filepath.Join(t.TempDir(), "other.npz")
		rezip(t, other, path, change)
		testkit.ErrorContains(t, testkit.ErrorOf(provenance.CheckFile(other)), want)
	}
	bare := filepath.Join(t.TempDir(), "bare.npz")
	rezip(t, bare, path, func(e map[string][]byte) { delete(e, "provenance.npy") })
	if p, err := provenance.CheckFile(bare); p != nil || err != nil {
		t.Errorf("a file of others: %v, %v", p, err)
	}
}

// rezip rewrites a zip file with changed entries.
func rezip(t *testing.T, to, from string, change func(map[string][]byte)) {
	t.Helper()
	z := testkit.Must(zip.OpenReader(from))(t)
	defer z.Close()
	all, names := map[string][]byte{}, []string{"z.npy"}
	for _, f := range z.File {
		r := testkit.Must(f.Open())(t)
		all[f.Name] = testkit.Must(io.ReadAll(r))(t)
		names = append(names, f.Name)
	}
	change(all)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		if text, ok := all[name]; ok {
			e := testkit.Must(w.Create(name))(t)
			testkit.Must(e.Write(text))(t)
		}
	}
	testkit.NoError(t, w.Close())
	testkit.NoError(t, os.WriteFile(to, b.Bytes(), 0o644))
}
