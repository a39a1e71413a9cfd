package learn_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/spd"
)

// A combination that fails leaves the scores of the others, and the exit status is 1, as in rao compare.
func TestTuneReportsFailedCombinations(t *testing.T) {
	tooltest.Exits(t, 1, "1 of 2 combinations failed; the reasons are listed above", "tune", "knn-raw", "--data",
		"digits:train", "--search", "neighbors=1,100000", "--cv", "3")
}

// An option may depend on another option that only the search sets.
func TestTuneWithAnOptionThatNeedsTheSearch(t *testing.T) {
	tooltest.Succeeds(t, "tune", "pca", "--data", "digits:train", "--neighbors", "3", "--search", "classifier=knn",
		"--cv", "2")
}

// Without a search, the line about the model names no options.
func TestTuneWithoutSearchNamesNoOptions(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "t.csv")
	testkit.NoError(t, os.WriteFile(data, []byte("a,class\n"+strings.Repeat("1,x\n2,x\n4,y\n5,y\n", 6)), 0o644))
	said := tooltest.Succeeds(t, "tune", "lda-raw", "--data", data, "--threshold-rule", "f1", "--out",
		filepath.Join(dir, "m.rao"))
	testkit.Contains(t, said, "fitted to all the data and written to ")
}

// Leaving out one person at a time also works for a part of the file.
func TestGroupsWithinAPart(t *testing.T) {
	const n = 48
	x := spd.NewStack(n, 2)
	d := &dataset.Data{Stack: x, Labels: make([]int, n), Classes: []string{"a", "b"}, Vars: map[string]*dataset.Array{
		"person": {Shape: []int{n}, Int64: make([]int64, n)}, "part": {Shape: []int{n}, Strings: make([]string, n)}}}
	for k := range n {
		c := k % 2
		v := x.At(k)
		v[0], v[3] = math.Exp(2*float64(c)+0.01*float64(k)), 1
		d.Labels[k] = c
		d.Vars["person"].Int64[k] = int64(k / 2 % 4)
		d.Vars["part"].Strings[k] = []string{"first", "second"}[k/24]
	}
	path := filepath.Join(t.TempDir(), "d.npz")
	testkit.NoError(t, dataset.WriteFile(path, d))
	for where, folds := range map[string]int{"part=first": 4, "person=2": 2} {
		groups := "person"
		if folds == 2 {
			groups = "part"
		}
		out := tooltest.Output(t, "tune", "mdm", "--data", path, "--where", where, "--groups", groups, "--json")
		testkit.Contains(t, out, fmt.Sprintf(`"folds":%d`, folds), where, "by", groups)
		testkit.Contains(t, out, `"accuracy":1,`, where, "by", groups)
	}
	testkit.Contains(t, tooltest.Output(t, "tune", "mdm", "--data", path, "--groups", "person", "--cv", "2", "--json"),
		`"folds":2`, "with --cv 2")
}
