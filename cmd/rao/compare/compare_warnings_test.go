package compare_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// A comparison prints the warnings of its fits with the names of the methods.
func TestComparisonsPrintWarnings(t *testing.T) {
	tooltest.Exits(t, 0, "sqfa:noise=100000:constraint=sphere: the 4 filters span only ", "compare", "--data",
		"digits:train", "--test", "digits:test", "--methods", "sqfa:noise=100000:constraint=sphere,lda", "--options",
		"filters=4")
}

// A cross-validation prints how many of its fits have warnings, and quotes the first of them.
func TestCrossValidationsPrintWarnings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	var b strings.Builder
	b.WriteString("a,b,class,person\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%d,%de-170,%c,%d\n", i*i%17, i*i%13, 'x'+rune(i%2), i/20)
	}
	testkit.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	for _, args := range [][]string{
		{"compare", "--methods", "knn-raw,qda-raw", "--groups", "person"},
		{"tune", "knn-raw", "--search", "neighbors=1,3", "--cv", "3"},
	} {
		_, _, said := tooltest.Run(t, append(args, "--data", path, "--y", "class")...)
		testkit.Contains(t, said, "3 of 3 fits have warnings, the first of them: column \"b\" varies by less than "+
			"1e-150", args)
		testkit.Contains(t, said, "knn-raw", args)
	}
}

// A cross-validation on data with copies of rows reports them, because a copy is in the fit that decides on the other.
// Equal values in a few rows are not reported.
func TestCrossValidationsReportCopies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	for _, copies := range []int{0, 30} {
		var b strings.Builder
		b.WriteString("a,b,class,person\n")
		for i := range 120 {
			row := i % (120 - copies)
			fmt.Fprintf(&b, "%d,%d,%c,%d\n", row*row%997, row*7919%1009, 'x'+rune(row%2), i%3)
		}
		testkit.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		for _, args := range [][]string{
			{"compare", "--methods", "knn-raw", "--groups", "person", "--drop", "person"},
			{"tune", "knn-raw", "--drop", "person"},
		} {
			_, _, said := tooltest.Run(t, append(args, "--data", path, "--y", "class")...)
			found := strings.Contains(said, "of the tested observations are equal to observations that the "+
				"fits learn from")
			if grouped := args[0] == "compare" && copies == 30; found != (copies > 0 && !grouped) {
				t.Errorf("%d copies, %q: %s", copies, args, said)
			}
		}
	}
}
