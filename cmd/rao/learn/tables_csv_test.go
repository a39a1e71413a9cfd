package learn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// Choices for an ambiguous csv file are reported in one line and in the JSON. Groups and conditions are columns by
// name.
func TestCSVOptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.csv")
	var b strings.Builder
	b.WriteString("\tperson\tu\tGr\xf6\xdfe\tclass\n")
	for i := range 48 {
		fmt.Fprintf(&b, "%d\tp%d\t%d,%d\t%d\t%c\n", i, i/2%4, i%2*9+i%3, i%7, i%5, 'a'+i%2)
	}
	testkit.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	tune := []string{"tune", "pca", "--data", path, "--groups", "person"}
	tooltest.Exits(t, 1, "not UTF-8 text; set --csv encoding=latin-1", tune...)
	tooltest.Exits(t, 1, "for decimal commas set --csv decimal=comma", append(tune, "--csv", "encoding=latin-1")...)
	csv := []string{"--csv", "encoding=latin-1,decimal=comma", "--filters", "1"}
	status, out, said := tooltest.Run(t, append(append(tune, "--json"), csv...)...)
	testkit.Equal(t, status, 0, "exit status", said)
	for _, want := range []string{`"folds":4`, `"readings":[{"source":`, `"columns":["u","Größe"]`} {
		testkit.Contains(t, out, want)
	}
	testkit.Contains(t, said, "tabs and decimal commas, latin-1, a header; label column class (by its name); 48 "+
		"rows, 2 classes; 2 columns: u, Größe; left out: column 0 (it has no name and numbers")
	testkit.Contains(t, tooltest.Output(t, append([]string{"fit", "pca", "--data", path, "--where", "person=p1",
		"--drop", "0", "--out", path + ".rao", "--json"}, csv...)...), `"rows":12`)
	tooltest.Exits(t, 2, `--csv: there is no setting "speed=high"; choose from delimiter=`, "fit", "pca", "--data",
		path, "--csv", "decimal=point,speed=high", "--out", path+".rao")
}

// Texts that differ in most rows, such as numbers with units, are categories only with a note. The error about a number
// suggests decimal commas only if that helps.
func TestNumbersWrittenAsTextsAreNoted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.csv")
	fit := func(value func(i int) string, args ...string) string {
		t.Helper()
		var b strings.Builder
		b.WriteString("u;v;class\n")
		for i := range 30 {
			fmt.Fprintf(&b, "%s;%d;%c\n", value(i), i*7%11, 'a'+i%3)
		}
		testkit.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		_, _, said := tooltest.Run(t, append([]string{"fit", "lda-raw", "--data", path, "--out", path + ".rao",
			"--force"}, args...)...)
		return said
	}
	weights := func(i int) string { return fmt.Sprintf("%d,5 kg", i*7%16) }
	note := "column u has 16 different texts in 30 rows but is used as categories; --drop u leaves it out"
	testkit.Contains(t, fit(weights, "--categories", "auto", "--csv", "decimal=comma"), note)
	sites := fit(func(i int) string { return []string{"north", "south"}[i%2] }, "--categories", "auto")
	testkit.Equal(t, strings.Contains(sites, "different texts"), false, "two sites:", sites)
	testkit.Contains(t, fit(weights), "; for decimal commas set --csv decimal=comma")
	said := fit(weights, "--csv", "decimal=comma")
	testkit.Equal(t, strings.Contains(said, "for decimal commas"), false, "with decimal commas:", said)
	thousands := fit(func(i int) string { return fmt.Sprintf("1.%03d,5", i) }, "--csv", "decimal=comma")
	testkit.Contains(t, thousands, "remove the separators of thousands")
}
