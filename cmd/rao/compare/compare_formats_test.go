package compare_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/format/archive"
	"rao/internal/format/ndarray"
	"rao/internal/testkit"
)

// The training and the test data share the options of tables. They apply to the table if the other data are an array,
// and are errors if both are arrays.
func TestOptionsOfTablesApplyToTheTable(t *testing.T) {
	dir := t.TempDir()
	x := ndarray.Array{Name: "X", Shape: []int{40, 2}, Float64: make([]float64, 80)}
	y := ndarray.Array{Name: "kind", Shape: []int{40}, Int64: make([]int64, 40)}
	var b strings.Builder
	b.WriteString("kind;a;b\n") // the label is not the last column
	for i := range 40 {
		y.Int64[i] = int64(i % 2)
		x.Float64[2*i], x.Float64[2*i+1] = float64(i%2)+float64(i)/100, float64(i*i%7)
		fmt.Fprintf(&b, "%d;%g;%g\n", y.Int64[i], x.Float64[2*i], x.Float64[2*i+1])
	}
	csv, npz := filepath.Join(dir, "t.csv"), filepath.Join(dir, "t.npz")
	testkit.NoError(t, os.WriteFile(csv, []byte(b.String()), 0o600))
	testkit.NoError(t, archive.Write(npz, nil, []ndarray.Array{x, y}))
	for _, c := range []struct {
		train, test string
		want        int
	}{{csv, npz, 0}, {npz, csv, 0}, {csv, csv, 0}, {npz, npz, 2}} {
		status, out, said := tooltest.Run(t, "compare", "--data", c.train, "--test", c.test, "--y", "kind",
			"--csv", "delimiter=semicolon", "--header", "yes", "--methods", "lda", "--allow-overlap", "--json")
		if c.want == 0 && (status != 0 || !strings.Contains(out, `"accuracy":1,`)) {
			t.Errorf("%s and %s: exit status %d: %s%s", c.train, c.test, status, out, said)
		}
		if c.want != 0 && (status == 0 || !strings.Contains(said, npz+": --csv describes csv and tsv tables")) {
			t.Errorf("%s and %s: exit status %d: %s%s", c.train, c.test, status, out, said)
		}
	}
}

// A single file contains the training and test parts of a comparison, selected by a flag.
func TestCompareOnPartsOfOneFile(t *testing.T) {
	testkit.Contains(t, tooltest.Output(t, "compare", "--data", "../testdata/flag.csv", "--train-where", "part=1",
		"--test-where", "part=2", "--methods", "pca:filters=1", "--json"), `"accuracy":1,`)
	tooltest.Exits(t, 1, "no rows are left", "compare", "--data", "../testdata/flag.csv", "--train-where", "part=1",
		"--test-where", "part=3", "--methods", "pca")
}
