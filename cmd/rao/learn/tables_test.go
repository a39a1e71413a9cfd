package learn_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"

	"rao/model"
)

// mixed writes a table of texts and numbers with holes, of two classes.
func mixed(t *testing.T, name string, n int, odd string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,color,size,weight,species\n")
	for i := range n {
		k := i % 2
		color, size := []string{"red", "blue"}[k], fmt.Sprint(float64(k)+0.1*float64(i*7%11))
		switch i % 7 {
		case 3:
			color = odd
		case 5:
			size = ""
		}
		fmt.Fprintf(&b, "u%d,%s,%s,%d,%c\n", i, color, size, i*5%13, 'a'+k)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A table of texts with holes is learned in one command, and the model reads others alike.
func TestTablesAsTheyCome(t *testing.T) {
	train, test := mixed(t, "train.csv", 60, "green"), mixed(t, "test.csv", 28, "mauve")
	dir := t.TempDir()
	m, out := filepath.Join(dir, "m.rao"), filepath.Join(dir, "p.csv")
	flags := []string{"--label-column", "species", "--categories", "auto", "--missing", "median", "--id-column", "id"}
	fit := []string{"fit", "qda-raw", "--shrinkage", "0.1", "--data", train, "--out", m}
	status, _, said := tooltest.Run(t, append(fit, flags...)...)
	if status != 0 {
		t.Fatal(said)
	}
	loaded, err := model.Load(m)
	if err != nil || loaded.Input.Table == nil || len(loaded.Input.Fill) != 5 || math.IsNaN(loaded.Input.Fill[3]) {
		t.Fatalf("%v, %+v", err, loaded)
	}
	status, _, said = tooltest.Run(t, "predict", "--model", m, "--data", test, "--out", out)
	if status != 0 || !strings.Contains(said, `such as "mauve"`) {
		t.Errorf("exit status %d, %q", status, said)
	}
	text, err := os.ReadFile(out)
	if err != nil || !strings.HasPrefix(string(text), "id,label,rejected,outlier,p_a,p_b\nu0,") {
		t.Errorf("%v, %.80q", err, text)
	}
	if status, _, said = tooltest.Run(t, "evaluate", "--model", m, "--data", train); status != 0 ||
		!strings.Contains(said, "about 100 % of these observations were among those the model was fitted to") {
		t.Errorf("exit status %d, %q", status, said)
	}
	compare := []string{"compare", "--train", train, "--test", test, "--methods", "lda,knn-raw"}
	status, table, said := tooltest.Run(t, append(compare, flags...)...)
	if status != 0 || strings.Contains(table, "failed") {
		t.Errorf("exit status %d, %s%q", status, table, said)
	}
	status, table, said = tooltest.Run(t, append([]string{"compare", "--train", train, "--groups", "weight",
		"--methods",
		"lda",
		"--drop", "id"}, flags[:6]...)...)
	if status != 0 || strings.Contains(table, "failed") {
		t.Errorf("exit status %d, %s%q", status, table, said)
	}
}

// What cannot be is refused before any work; a line is named where a value is missing.
func TestTablesRefused(t *testing.T) {
	train := mixed(t, "train.csv", 60, "green")
	out := filepath.Join(t.TempDir(), "m.rao")
	for _, c := range []struct{ flags, want string }{
		{"--missing some", "unknown way \"some\""},
		{"--categories auto", `line 7, column "size" has no value`},
		{"--categories auto,shape --missing mean", `no column "shape"`},
		{"--categories species --missing mean", "column species is named in --categories and is no feature"},
		{"--keep color,shape --missing mean", `no column "shape"`},
		{"--id-column name --missing mean", `no column "name"`},
	} {
		args := append([]string{"fit", "lda", "--data", train, "--out", out, "--label-column", "species"},
			strings.Fields(c.flags)...)
		if status, _, said := tooltest.Run(t, args...); status == 0 || !strings.Contains(said, c.want) {
			t.Errorf("%s: exit status %d, %q", c.flags, status, said)
		}
	}
}

// The same table gives the same file through statistics, and a model of it reads raw tables.
func TestTablesThroughStatistics(t *testing.T) {
	train, test := mixed(t, "train.csv", 60, "green"), mixed(t, "test.csv", 28, "mauve")
	dir := t.TempDir()
	stats, out := filepath.Join(dir, "s.npz"), filepath.Join(dir, "p.csv")
	flags := []string{"--label-column", "species", "--categories", "auto", "--id-column", "id"}
	run := func(args ...string) string {
		t.Helper()
		status, _, said := tooltest.Run(t, args...)
		if status != 0 {
			t.Fatalf("%v: %s", args, said)
		}
		return said
	}
	for _, missing := range []string{"mean", "drop"} {
		how := append([]string{"--missing", missing, "--force"}, flags...)
		run(append([]string{"stats", "--data", train, "--out", stats}, how...)...)
		var files [2][]byte
		for i, from := range [][]string{append([]string{"--data", train}, how...), {"--stats", stats, "--force"}} {
			path := filepath.Join(dir, fmt.Sprint(i, ".rao"))
			run(append([]string{"fit", "qda-raw", "--shrinkage", "0.1", "--out", path}, from...)...)
			var err error
			if files[i], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("--missing %s: the models of the table and of its statistics differ", missing)
		}
		if missing == "mean" {
			said := run("predict", "--model", filepath.Join(dir, "1.rao"), "--data", test, "--out", out, "--force")
			if !strings.Contains(said, `such as "mauve"`) {
				t.Errorf("%q", said)
			}
		}
	}
	for want, args := range map[string][]string{
		"a median needs all values":    {"--missing", "median"},
		"do not keep how a table":      {"--missing", "drop", "--subspace", "2"},
		"leave it out, or make":        {"--missing", "drop", "--private", "1,1e-6"},
		`line 7, column "size" has no`: {"--categories", "auto"},
	} {
		args := append([]string{"stats", "--data", train, "--out", stats, "--label-column", "species"}, args...)
		if status, _, said := tooltest.Run(t, args...); status == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: %d, %q, want %q", args, status, said, want)
		}
	}
}
