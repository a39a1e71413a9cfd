package compare_test

import (
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

// A comparison prints the warnings of its fits with the names of the methods.
func TestComparisonsPrintWarnings(t *testing.T) {
	status, _, said := tooltest.Run(t, "compare", "--data", "digits:train", "--test", "digits:test", "--methods",
		"sqfa:noise=100000:constraint=sphere,lda", "--options", "filters=4")
	if want := "sqfa:noise=100000:constraint=sphere: the 4 filters span only "; status != 0 ||
		!strings.Contains(said, want) {
		t.Errorf("exit status %d, %q, want %q", status, said, want)
	}
}
