package parquetwriter_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/dataset"
	_ "rao/dataset/parquet"
	"rao/internal/format/parquetwriter"
	"rao/internal/testkit"
)

// A file with several row groups contains the written rows.
func TestWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	f := testkit.Must(os.Create(path))(t)
	const rows = 1<<16 + 1<<15 + 5
	w := testkit.Must(parquetwriter.NewWriter(f, []string{"name", "even", "x"},
		[]parquetwriter.Kind{parquetwriter.Text, parquetwriter.Flag, parquetwriter.Number}))(t)
	for i := range rows {
		w.Text(0, fmt.Sprintf("é%d", i%7))
		w.Flag(1, i%2 == 0)
		w.Number(2, float64(i)/3)
		testkit.NoError(t, w.End())
	}
	testkit.NoError(t, w.Close())
	testkit.NoError(t, f.Close())
	d := testkit.Must(dataset.Open(context.Background(), path, dataset.OpenOptions{Y: "name"}))(t)
	if d.N() != rows {
		t.Fatalf("%d rows, want %d", d.N(), rows)
	}
	for i := range rows {
		if d.X.At(i, 0) != float64((i+1)%2) || d.X.At(i, 1) != float64(i)/3 ||
			d.Classes[d.Labels[i]] != fmt.Sprintf("é%d", i%7) {
			t.Fatalf("row %d: %v, %v, %s", i, d.X.At(i, 0), d.X.At(i, 1), d.Classes[d.Labels[i]])
		}
	}
	if !parquetwriter.Ours(path) {
		t.Error("the file is not taken for ours")
	}
}

// A table without rows can be written, too.
func TestNoRows(t *testing.T) {
	var b strings.Builder
	w := testkit.Must(parquetwriter.NewWriter(&b, []string{"x"}, []parquetwriter.Kind{parquetwriter.Number}))(t)
	testkit.NoError(t, w.Close())
	path := testkit.TempFile(t, "t.parquet", b.String())
	if !parquetwriter.Ours(path) {
		t.Error("the file is not taken for ours")
	}
	testkit.Fails(t, testkit.ErrorOf(parquetwriter.NewWriter(&b, []string{"x"}, nil)), "a column without a kind")
}

// Files of other writers, and damaged files, are not recognized as files of this package.
func TestNotOurs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty": "", "short": "PAR1PAR1", "long": "PAR1\xff\xff\xff\xffPAR1",
		"noise": "PAR1" + strings.Repeat("\x1c\xff", 40) + "\x50\x00\x00\x00PAR1",
	} {
		path := filepath.Join(dir, name)
		testkit.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		if parquetwriter.Ours(path) {
			t.Errorf("%s is taken for ours", name)
		}
	}
	if parquetwriter.Ours(filepath.Join("..", "..", "..", "dataset", "parquet", "testdata", "arrow-wide.parquet")) {
		t.Error("a file of Arrow is taken for ours")
	}
	if parquetwriter.Ours(dir) || parquetwriter.Ours(filepath.Join(dir, "missing")) {
		t.Error("a folder or a missing file is taken for ours")
	}
}
