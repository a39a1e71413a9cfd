package learn_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
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
	return testkit.TempFile(t, name, b.String())
}

// One command learns from a table of texts with missing values, and the model reads other tables in the same way.
func TestTablesAsTheyCome(t *testing.T) {
	train, test := mixed(t, "train.csv", 60, "green"), mixed(t, "test.csv", 28, "mauve")
	dir := t.TempDir()
	m, out := filepath.Join(dir, "m.rao"), filepath.Join(dir, "p.csv")
	flags := []string{"--y", "species", "--categories", "auto", "--missing", "median", "--id-column", "id"}
	fit := []string{"fit", "qda-raw", "--shrinkage", "0.1", "--data", train, "--out", m}
	tooltest.Succeeds(t, append(fit, flags...)...)
	loaded, err := model.Load(m)
	if err != nil || loaded.Input.Table == nil || len(loaded.Input.Fill) != 4 || math.IsNaN(loaded.Input.Fill[2]) {
		t.Fatalf("%v, %+v", err, loaded)
	}
	tooltest.Exits(t, 0, `such as "mauve"`, "predict", "--model", m, "--data", test, "--out", out)
	if text := testkit.Text(t, out); !strings.HasPrefix(text, "id,label,rejected,outlier,p_a,p_b\nu0,") {
		t.Errorf("%.80q", text)
	}
	tooltest.Exits(t, 0, "about 100 % of these observations are also training observations of the model", "evaluate",
		"--model", m, "--data", train)
	compare := []string{"compare", "--data", train, "--test", test, "--methods", "lda,knn-raw"}
	for _, line := range [][]string{append(compare, flags...),
		append([]string{"compare", "--data", train, "--groups", "weight", "--methods", "lda", "--drop", "id"},
			flags[:6]...)} {
		if table := tooltest.Output(t, line...); strings.Contains(table, "failed") {
			t.Errorf("%q: %s", line, table)
		}
	}
}

// Impossible options are rejected before any work. The error for a missing value names its line.
func TestTablesRefused(t *testing.T) {
	train := mixed(t, "train.csv", 60, "green")
	out := filepath.Join(t.TempDir(), "m.rao")
	for _, c := range []struct{ flags, want string }{
		{"--missing some", "unknown value \"some\""},
		{"--categories auto", `line 7, column "size" has no value`},
		{"--categories auto,shape --missing mean", `no column "shape"`},
		{"--categories species --missing mean", "column species is in --categories but is not a feature"},
		{"--keep color,shape --missing mean", `no column "shape"`},
		{"--id-column name --missing mean", `no column "name"`},
	} {
		args := append([]string{"fit", "lda", "--data", train, "--out", out, "--y", "species"},
			strings.Fields(c.flags)...)
		tooltest.Fails(t, c.want, args...)
	}
}

// A model fitted to the statistics of a table reads raw tables, and options that need the rows in memory are errors.
// routes_test.go tests that the model equals a model fitted to the table.
func TestTablesThroughStatistics(t *testing.T) {
	train, test := mixed(t, "train.csv", 60, "green"), mixed(t, "test.csv", 28, "mauve")
	dir := t.TempDir()
	stats, m := filepath.Join(dir, "s.npz"), filepath.Join(dir, "m.rao")
	parquet := filepath.Join("testdata", "mixed.parquet")
	flags := []string{"--y", "species", "--categories", "auto", "--id-column", "id"}
	tooltest.Succeeds(t, append([]string{"stats", "--data", parquet, "--out", stats, "--missing", "mean"}, flags...)...)
	tooltest.Succeeds(t, "fit", "qda-raw", "--shrinkage", "0.1", "--stats", stats, "--out", m)
	tooltest.Exits(t, 0, `such as "mauve"`, "predict", "--model", m, "--data", test, "--out",
		filepath.Join(dir, "p.csv"))
	outside := append([]string{"--out-of-core", "--data", parquet, "--out", filepath.Join(dir, "o.rao")}, flags...)
	tooltest.Succeeds(t, append([]string{"fit", "sqfa", "--filters", "1", "--refine", "--missing", "mean"},
		outside...)...)
	tooltest.Fails(t, "a median needs all values of a column in memory", append([]string{"fit", "lda-raw", "--missing",
		"median"}, outside...)...)
	for want, args := range map[string][]string{
		"a median needs all values":    {"--missing", "median"},
		"do not record how a table":    {"--missing", "drop", "--subspace", "2"},
		"--private needs --classes":    {"--missing", "drop", "--private", "1,1e-6"},
		`line 7, column "size" has no`: {"--categories", "auto"},
	} {
		tooltest.Fails(t, want, append([]string{"stats", "--data", train, "--out", stats, "--y", "species"},
			args...)...)
	}
}

// A model fitted to a csv table equals a model fitted to the same table as Parquet, and makes the same decisions.
// Messages about the Parquet table name its columns and rows.
func TestTablesAsParquet(t *testing.T) {
	train, parquet := mixed(t, "train.csv", 60, "green"), filepath.Join("testdata", "mixed.parquet")
	dir := t.TempDir()
	flags := []string{"--y", "species", "--categories", "color,weight", "--missing", "median", "--id-column",
		"id"}
	var models, decisions [2]string
	for i, data := range []string{train, parquet} {
		file, out := filepath.Join(dir, fmt.Sprint(i, ".rao")), filepath.Join(dir, fmt.Sprint(i, ".csv"))
		tooltest.Succeeds(t, append([]string{"fit", "qda-raw", "--shrinkage", "0.1", "--data", data, "--out", file},
			flags...)...)
		tooltest.Succeeds(t, "predict", "--model", filepath.Join(dir, "0.rao"), "--data", data, "--out", out)
		tooltest.Succeeds(t, "evaluate", "--model", file, "--data", parquet, "--allow-overlap")
		models[i], decisions[i] = testkit.Text(t, file), testkit.Text(t, out)
	}
	testkit.Equal(t, models[0] == models[1], true, "equal models")
	testkit.Equal(t, decisions[0], decisions[1], "decisions")
	for want, flags := range map[string]string{
		`row 5, column "size" has no value`:                   "--categories auto",
		`no column "shape"`:                                   "--categories auto,shape --missing mean",
		"column species is in --categories but is not a":      "--categories species --missing mean",
		"left out: column color (its values are not numbers)": "--missing mean --drop id",
		"2 columns: size, weight\n":                           "--missing mean --drop id,color",
		"1 column: size; left out: column id":                 "--missing mean --keep size",
	} {
		_, _, said := tooltest.Run(t, append([]string{"fit", "lda", "--data", parquet, "--out",
			filepath.Join(dir, "x.rao"), "--force", "--y", "species"}, strings.Fields(flags)...)...)
		testkit.Contains(t, said, want, flags)
	}
}
