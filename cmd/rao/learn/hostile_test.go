package learn_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	parquet "rao/internal/format/parquetwriter"
	"rao/internal/testkit"
)

// An error in the last row of a table is reported with its place and a remedy, in memory, out of core and by rao stats,
// and no file is written.
func TestFaultsOfTablesAreRefused(t *testing.T) {
	at := testkit.Folder(t)
	const rows = 5000 // more than one block
	write := func(name, last string) {
		var b strings.Builder
		b.WriteString("x,kind,class\n")
		for i := range rows {
			fmt.Fprintf(&b, "%d,%s,%s\n", i%7, []string{"red", "blue"}[i/2%2], []string{"no", "yes"}[i%2])
		}
		testkit.NoError(t, os.WriteFile(at(name+".csv"), []byte(b.String()+last+"\n"), 0o644))
	}
	columnar := func(name string, kind, class string) {
		var file bytes.Buffer
		w := testkit.Must(parquet.NewWriter(&file, []string{"x", "kind", "class"}, []parquet.Kind{parquet.Number,
			parquet.Text,
			parquet.Text}))(t)
		for i := range rows + 1 {
			texts := [2]string{[]string{"red", "blue"}[i/2%2], []string{"no", "yes"}[i%2]}
			if i == rows {
				texts = [2]string{kind, class}
			}
			w.Number(0, float64(i%7))
			w.Text(1, texts[0])
			w.Text(2, texts[1])
			testkit.NoError(t, w.End())
		}
		testkit.NoError(t, w.Close())
		testkit.NoError(t, os.WriteFile(at(name+".parquet"), file.Bytes(), 0o644))
	}
	line := fmt.Sprintf("line %d", rows+2)
	for name, c := range map[string]struct {
		last string
		want []string
	}{
		"ragged":    {"1,red", []string{line, "2 fields", "every row needs the same columns"}},
		"long":      {"1,red,no,4", []string{line, "4 fields", "every row needs the same columns"}},
		"a text":    {"many,red,no", []string{line, `"x"`, `"many" is not a number`, "--drop"}},
		"bytes":     {"1,caf\xe9,no", []string{line, "not UTF-8", "encoding=latin-1"}},
		"no label":  {"1,red,", []string{line, `"class"`, "give every row a label or remove it"}},
		"infinity":  {"-Inf,red,no", []string{line, `"x"`, "-Inf", "remove"}},
		"no value":  {"nan,red,no", []string{line, `"x"`, "no value", "--missing"}},
		"one quote": {`1,"red,no`, []string{line, "a quote is not closed"}},
	} {
		write(name, c.last)
		refusedByAll(t, at(name+".csv"), at("out"), c.want)
	}
	columnar("no label", "red", "")
	refusedByAll(t, at("no label.parquet"), at("out"), []string{fmt.Sprintf("row %d", rows), "no label",
		"give every row"})
	columnar("bytes", "caf\xe9", "no")
	said := tooltest.Succeeds(t, "stats", "--data", at("bytes.parquet"), "--categories", "auto", "--out", at("out"))
	if !strings.Contains(said, "kind=café") { // texts of Parquet that are not UTF-8 are read as Latin-1
		t.Error(said)
	}
}

// refusedByAll runs the verbs that learn on a table and looks for words in their errors.
func refusedByAll(t *testing.T, data, out string, want []string) {
	t.Helper()
	for _, verb := range [][]string{{"stats"}, {"fit", "lda-raw"}, {"fit", "lda-raw", "--out-of-core"}} {
		args := append(verb, "--data", data, "--categories", "auto", "--out", out)
		status, _, message := tooltest.Run(t, args...)
		if status == 0 {
			t.Errorf("%v of %s succeeds", verb, data)
		}
		for _, w := range append(want, data) {
			testkit.Contains(t, message, w, verb, "the error lacks")
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%v: %s was written", verb, out)
			os.Remove(out)
		}
	}
}
