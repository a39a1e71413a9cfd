//go:build unix

package privacy

import (
	"os"
	"path/filepath"
	"testing"

	"rao/internal/testkit"
)

// If a ledger had a second name, a release could be charged under one name and not under the other.
func TestLedgersHaveOneName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "site.json")
	budget := Guarantee{Epsilon: 1, Delta: 1e-6}
	testkit.Must(charge(path, budget, budget.Rho()/4, "first"))(t)
	other := path + ".copy"
	if err := os.Link(path, other); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{path, other} {
		testkit.ErrorContains(t, testkit.ErrorOf(charge(name, Guarantee{}, budget.Rho()/4, "second")), "hard link",
			name)
	}
	testkit.NoError(t, os.Remove(other))
	if l, err := charge(path, Guarantee{}, budget.Rho()/4, "second"); err != nil || len(l.Releases) != 2 {
		t.Errorf("%v, %v", l, err)
	}
}
