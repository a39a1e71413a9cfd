package paper

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/linalg/cpu"
	"rao/internal/paper/experiment"
	"rao/internal/testkit"
)

// The pages of results match the recorded results, including the results of every wing.
func TestPagesAreMadeFromTheRecordedResults(t *testing.T) {
	if testkit.WithoutWing(t, "../../..") { // the pages have the studies of all wings
		t.Skip("a wing is missing")
	}
	for _, name := range experiment.Pages {
		var b bytes.Buffer
		testkit.NoError(t, experiment.Page(&b, name))
		path := "../../../docs/results-" + name + ".md"
		got := testkit.Must(os.ReadFile(path))(t)
		testkit.EqualSlices(t, got, b.Bytes(), path,
			"is not what the recorded results make: go generate ./internal/paper/experiment")
		if b.Len() > 40<<10 {
			t.Errorf("%s has %d bytes; a page has at most 40 KiB", path, b.Len())
		}
		for _, cell := range numberWithPeriod.FindAllString(b.String(), -1) {
			t.Errorf("%s: the cell %q ends with a period", path, cell)
		}
	}
}

// numberWithPeriod matches a cell that contains only a number, its unit and a period.
var numberWithPeriod = regexp.MustCompile(`\| [+−]?[0-9.,]+( %| s| points)?\. \|`)

// The example of every page prints the table that the page shows. Times vary, and other kernels round differently.
func TestExamplesOfPagesPrintTheirTables(t *testing.T) {
	testkit.SkipShort(t, "takes some seconds")
	shown := regexp.MustCompile("(?s)```sh\n(rao .*?)\n```\n\n```\n(.*?)\\.\\.\\.\n```")
	digits := regexp.MustCompile(`-?[0-9.]+`)
	for _, name := range experiment.Pages {
		page := testkit.Must(os.ReadFile("../../../docs/results-" + name + ".md"))(t)
		m := shown.FindSubmatch(page)
		if m == nil {
			t.Errorf("page %s has no example with output", name)
			continue
		}
		args := testkit.ShellWords(string(m[1]))
		status, out, said := tooltest.Run(t, append(args[1:len(args)-1], t.TempDir())...)
		if status != 0 {
			t.Errorf("%s: status %d: %s", m[1], status, said)
			continue
		}
		want, got := string(m[2]), out
		if strings.Contains(want, "econds") || cpu.Use().Sums() != cpu.AVX2 {
			want, got = digits.ReplaceAllString(want, "0"), digits.ReplaceAllString(got, "0")
			spaces := regexp.MustCompile(` +`)
			want, got = spaces.ReplaceAllString(want, " "), spaces.ReplaceAllString(got, " ")
		}
		testkit.Contains(t, got, want, string(m[1]), "does not print the table of the page")
	}
}
