package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// Equal fits write identical files at any time and place.
func TestEqualFitsAreEqualBytes(t *testing.T) {
	dir := t.TempDir()
	vectors, matrices := tooltest.Generated(t, dir, "toy1", 40, 1), tooltest.Generated(t, dir, "syn1", 12, 1)
	for _, fit := range []string{"pca", "sqfa", "fa", "ica", "lmnn", "mdm", "plrsq", "tslr", "svm-spd"} {
		data, more := vectors, []string{"--filters", "2"}
		if strings.Contains("mdm plrsq tslr svm-spd", fit) {
			data, more = matrices, nil
		}
		var files [2][]byte
		for i, out := range []string{"one.rao", "two.rao"} {
			line := append([]string{"fit", fit, "--data", data, "--out", filepath.Join(dir, fit+out)}, more...)
			tooltest.Succeeds(t, line...)
			files[i] = testkit.Must(os.ReadFile(filepath.Join(dir, fit+out)))(t)
		}
		testkit.EqualSlices(t, files[0], files[1], fit, "two equal fits differ in the file")
	}
}

// Rows that are counted twice, and scores on training rows, cause a warning.
func TestOverlapIsNoticed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	train, other := tooltest.Generated(t, dir, "toy1", 60, 1), tooltest.Generated(t, dir, "toy1", 60, 2)
	for _, line := range [][]string{
		{"stats", "--data", train, "--out", at("a.npz")}, {"stats", "--data", other, "--out", at("b.npz")},
		{"stats", "merge", at("a.npz"), at("b.npz"), "--out", at("ab.npz")},
		{"fit", "lda", "--stats", at("ab.npz"), "--filters", "2", "--out", at("s.rao")},
		{"fit", "lda", "--data", train, "--filters", "2", "--out", at("d.rao")},
	} {
		tooltest.Succeeds(t, line...)
	}
	for _, line := range [][]string{{at("a.npz"), at("a.npz")}, {at("ab.npz"), at("b.npz")}} {
		line = append([]string{"stats", "merge", "--out", at("x.npz")}, line...)
		tooltest.Exits(t, 1, "in common, which would count twice", line...)
		tooltest.Succeeds(t, append(line, "--allow-overlap")...)
	}
	for _, c := range []struct {
		model, data string
		overlap     bool
	}{{"d.rao", train, true}, {"d.rao", other, false}, {"s.rao", train, true}, {"s.rao", other, true}} {
		_, out, said := tooltest.Run(t, "evaluate", "--model", at(c.model), "--data", c.data, "--json")
		if noticed := strings.Contains(said, "about 100 % of these observations are also training observations "+
			"of the model"); noticed != c.overlap || strings.Contains(out, `"overlap":1`) != c.overlap {
			t.Errorf("%s on %s: %q, %s", c.model, c.data, said, out)
		}
		if _, _, said := tooltest.Run(t, "evaluate", "--model", at(c.model), "--data", c.data,
			"--allow-overlap"); strings.Contains(said, "are also training") {
			t.Errorf("--allow-overlap: %q", said)
		}
		if !strings.Contains(out, `"provenance":{"version":"`) || !strings.Contains(out, `"kernel":"`) ||
			!strings.Contains(out, `"digest":"`) {
			t.Errorf("no provenance in %s", out)
		}
	}
	tooltest.Exits(t, 0, "100 % of the test observations are also training observations", "compare", "--data", train,
		"--test", train, "--methods", "pca:filters=2")
}

// Scores of regression on training matrices cause the same warning as scores of classifiers.
func TestOverlapOfRegressionIsNoticed(t *testing.T) {
	at := testkit.Folder(t)
	tooltest.Persons(t, at("a.npz"), 3, 20)
	tooltest.Succeeds(t, "spd", "regress", "--data", at("a.npz"), "--y", "person", "--out", at("m.rao"))
	tooltest.Exits(t, 0, "about 100 % of these observations are also training observations of the model", "evaluate",
		"--model", at("m.rao"), "--data", at("a.npz"), "--y", "person")
}

// Rows of the training data are noticed if their named columns are in another order.
func TestOverlapOfReorderedColumnsIsNoticed(t *testing.T) {
	at := testkit.Folder(t)
	var train, test strings.Builder
	train.WriteString("a,b,kind\n")
	test.WriteString("b,a,kind\n")
	for i := range 40 {
		a, b := float64(i%7)+float64(i%2)/3, float64(i*i%11)
		fmt.Fprintf(&train, "%g,%g,%c\n", a, b, 'x'+i%2)
		fmt.Fprintf(&test, "%g,%g,%c\n", b, a, 'x'+i%2)
	}
	testkit.NoError(t, os.WriteFile(at("train.csv"), []byte(train.String()), 0o600))
	testkit.NoError(t, os.WriteFile(at("test.csv"), []byte(test.String()), 0o600))
	label := []string{"--y", "kind"}
	fit := []string{"fit", "knn-raw", "--data", at("train.csv"), "--out", at("m.rao")}
	tooltest.Succeeds(t, append(fit, label...)...)
	for _, line := range [][]string{{"evaluate", "--model", at("m.rao"), "--data", at("test.csv")},
		{"compare", "--data", at("train.csv"), "--test", at("test.csv"), "--methods", "qda-raw"}} {
		tooltest.Exits(t, 0, "observations are also training observations", append(line, label...)...)
	}
	tooltest.Exits(t, 1, "has already learned from about 100 % of these observations",
		append([]string{"update", "--model", at("m.rao"), "--data", at("test.csv"), "--out", at("n.rao")}, label...)...)
}

// A merge notices rows in common if the named columns of the files are in different orders.
func TestMergesNoticeRowsOfReorderedColumns(t *testing.T) {
	at := testkit.Folder(t)
	write := func(name, header string, from, to int, row func(a, b float64) (float64, float64)) {
		text := header + ",kind\n"
		for i := from; i < to; i++ {
			first, second := row(float64(i%7)+float64(i%2)/3, float64(i*i))
			text += fmt.Sprintf("%g,%g,%c\n", first, second, 'x'+i%2)
		}
		testkit.NoError(t, os.WriteFile(at(name+".csv"), []byte(text), 0o600))
		for _, kind := range []string{"full", "pooled", "diagonal"} {
			tooltest.Succeeds(t, "stats", "--data", at(name+".csv"), "--y", "kind", "--kind", kind,
				"--out", at(name+kind+".npz"))
		}
	}
	write("first", "b,a", 0, 60, func(a, b float64) (float64, float64) { return b, a })
	write("half", "a,b", 30, 90, func(a, b float64) (float64, float64) { return a, b })
	write("other", "a,b", 60, 120, func(a, b float64) (float64, float64) { return a, b })
	for _, kind := range []string{"full", "pooled", "diagonal"} {
		tooltest.Exits(t, 1, "have about 50 % of the rows of", "stats", "merge", at("first"+kind+".npz"),
			at("half"+kind+".npz"), "--out", at("m.npz"))
		tooltest.Succeeds(t, "stats", "merge", at("first"+kind+".npz"), at("other"+kind+".npz"), "--out", at("m.npz"))
	}
}

// Every command reports a misspelled kernel as an error.
func TestKernelIsChecked(t *testing.T) {
	cmd := exec.Command("rao", "data", "list")
	cmd.Env = append(os.Environ(), "RAO_KERNEL=avx")
	if out, err := cmd.CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "RAO_KERNEL=avx is unknown; use portable, avx2, avx512 or neon") {
		t.Errorf("%v: %s", err, out)
	}
}
