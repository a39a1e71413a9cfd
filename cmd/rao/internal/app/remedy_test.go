package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/spd"
)

// Errors of the library name neither flags nor commands; the tool adds both.
func TestMessagesNameFlagsAndVerbs(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{rao.Optionf("missing", "t.csv: line 7 has no value; set {missing=median}"), "set --missing median"},
		{fmt.Errorf("t.csv: %w", dataset.ErrNotFound), "; rao data list shows the sets"},
		{fmt.Errorf("s.npz: %w", &gaussian.FileKindError{Want: "data", Got: "statistics"}),
			"; give it with --stats to rao fit"},
		{fmt.Errorf("c.npz: %w", dataset.ErrMatricesLackValues), "; rao spd check repairs matrices"},
		{fmt.Errorf("c.npz: %w", &spd.MatrixError{Problem: spd.ProblemNotSymmetric}), "; rao spd check shows"},
		{&dataset.AbsentError{Set: dataset.Set{Name: "toy1", Kind: "generated"}}, "; rao data make toy1 --out"},
		{&dataset.AbsentError{Set: dataset.Set{Name: "usps", Kind: "import"}}, "; rao data get usps --from FOLDER"},
		{&dataset.AbsentError{Set: dataset.Set{Name: "mnist", Kind: "download"}}, "; run rao data get mnist, or"},
		{gaussian.ErrNoMoments, "; rao stats --moments"},
		{fmt.Errorf("m.rao: %w", &gaussian.FileKindError{Want: "statistics", Got: "model"}), "; rao stats makes one"},
	} {
		testkit.Contains(t, Message(c.err), c.want, "does not say")
		if plain := c.err.Error(); strings.Contains(plain, "--") || strings.Contains(plain, "rao ") {
			t.Errorf("the library says %q", plain)
		}
	}
	if got := Message(&rao.ValueError{}); strings.Contains(got, "rao ") {
		t.Errorf("a row of a table: %q", got)
	}
	if got := Message(&spd.MatrixError{Problem: spd.ProblemOutOfRange}); strings.Contains(got, "spd check") {
		t.Errorf("no repair brings a matrix into range: %q", got)
	}
}

// A method that failed in a comparison names flags of the verb as flags, and options of methods as --methods does.
func TestMonitorWordsErrors(t *testing.T) {
	cmd := &cobra.Command{}
	cmd.Flags().String("missing", "", "")
	err := rao.Optionf("missing", "a value is missing: give {missing=%s}, or {filters=%d}", "median", 2)
	got := new(App).Monitor(cmd).Message(err)
	testkit.Equal(t, got, "a value is missing: give --missing median, or filters=2")
}
