package bench

import (
	"testing"

	"rao/internal/testkit"
)

// A filter that no case matches, or a case whose data are missing, is an error and no empty result.
func TestCasesThatCannotRunAreErrors(t *testing.T) {
	t.Setenv("RAO_CACHE", t.TempDir())
	for filter, want := range map[string]string{"no such case": "contains \"no such case\"",
		"SQFA on the statistics of MNIST": "mnist is not in the cache folder"} {
		err := Run(t.Context(), Options{Filter: filter, Rounds: 1}, func(c Case) { t.Errorf("%s ran", c.Name) })
		testkit.ErrorContains(t, err, want, filter)
	}
}
