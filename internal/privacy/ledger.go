package privacy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"rao"
	"rao/internal/format/archive"
	"rao/internal/linalg/vec"
	"rao/internal/text"
)

// Ledger is a site's own record of what it has released about its rows. The ρ of releases of the same rows adds up. A
// ledger rejects releases that exceed the budget.
type Ledger struct {
	Site     string        `json:"site"` // a random ID
	Budget   Guarantee     `json:"budget"`
	Releases []LedgerEntry `json:"releases"`
}

// LedgerEntry is one charged release.
type LedgerEntry struct {
	Rho  float64 `json:"rho"`
	What string  `json:"what"`
}

// BudgetError means that a release would exceed the budget of a ledger.
type BudgetError struct {
	Path   string
	Budget Guarantee
	Spent  float64 // ε of the releases so far, at the δ of the budget
	Asked  float64 // ε including the rejected release
}

// Error describes the budget, the ε that is spent, and the ε to which the rejected release would raise it.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("%s: the budget of these rows is ε %g at δ %g; ε %.4g is spent, and this release would raise "+
		"it to ε %.4g, so nothing was released", e.Path, e.Budget.Epsilon, e.Budget.Delta, e.Spent, e.Asked)
}

// IsLedger reports whether a file begins like a ledger.
func IsLedger(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	begin, rest, ok := bytes.Cut(head[:n], []byte("{"))
	return ok && len(bytes.TrimSpace(begin)) == 0 && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`"site"`))
}

// ReadLedger reads a ledger. The error wraps fs.ErrNotExist if the file does not exist.
func ReadLedger(path string) (*Ledger, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var l Ledger
	content, err := io.ReadAll(io.LimitReader(f, 64<<20))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &l); err != nil {
		return nil, fmt.Errorf("%s: not a ledger of releases (%w); restore the ledger from a backup, or name "+
			"another file", path, text.JSONError(err))
	}
	if err := cmp.Or(archive.RefuseUnknown(content, reflect.TypeFor[Ledger](), ""), l.validate()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &l, nil
}

func (l *Ledger) validate() error {
	if l.Site == "" {
		return errors.New("the field site is empty; restore the ledger from a backup")
	}
	if err := l.Budget.Validate(); err != nil {
		return fmt.Errorf("budget: %w", err)
	}
	for i, e := range l.Releases {
		if !vec.Positive(e.Rho) {
			return fmt.Errorf("release %d has ρ %g, but ρ must be a finite number above 0; restore the ledger from "+
				"a backup", i+1, e.Rho)
		}
	}
	return nil
}

// Spent returns the total ρ of all releases.
func (l *Ledger) Spent() float64 {
	rho := 0.0
	for _, e := range l.Releases {
		rho += e.Rho
	}
	return rho
}

// Describe returns one line about how much of the budget is spent.
func (l *Ledger) Describe() string {
	return fmt.Sprintf("ε %.4g of %g at δ %g for each %s is spent, in %s", EpsilonOf(l.Spent(), l.Budget.Delta),
		l.Budget.Epsilon, l.Budget.Delta, l.Budget.Protects(), text.Plural(len(l.Releases), "release", "releases"))
}

// charge adds a release of ρ to the ledger at path, before all rows are read, and returns the ledger. If the file does
// not exist, it creates a ledger with the budget. It returns an error if an existing ledger protects another unit or
// has another budget; a budget without ε and δ agrees with every ledger. If the release exceeds the budget, it returns
// a [*BudgetError] and charges nothing. The charge remains if the release fails later. Only one process can charge a
// ledger at a time; another gets an error.
func charge(path string, budget Guarantee, rho float64, what string) (ledger *Ledger, err error) {
	if !(rho > 0 && rho <= mostRho) {
		return nil, fmt.Errorf("the release has ρ %g, which cannot be charged to a ledger; ρ must be above 0 and at "+
			"most %g", rho, float64(mostRho))
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the same lock for all names of the file
	}
	if st, err := os.Stat(path); err == nil && hasLinks(st) {
		return nil, fmt.Errorf("%s: the ledger has another name (a hard link), under which its budget would not be "+
			"charged; remove that name", path)
	}
	lock := path + ".lock"
	held, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: another process is charging the ledger; if none is, remove %s", path, lock)
	}
	if err != nil {
		return nil, err
	}
	held.Close()
	defer func() { err = errors.Join(err, os.Remove(lock)) }()

	l, err := ReadLedger(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := budget.Validate(); err != nil {
			return nil, fmt.Errorf("the budget of the new ledger: %w", err)
		}
		l = &Ledger{Site: newSampler().id(), Budget: budget}
	case err != nil:
		return nil, err
	case budget.Unit != l.Budget.Unit:
		return nil, rao.Optionf("unit", "%s: this ledger has a budget for each %s, but the release protects each %s; "+
			"give the same {unit}", path, l.Budget.Protects(), budget.Protects())
	case budget != (Guarantee{Unit: budget.Unit}) && budget != l.Budget:
		return nil, fmt.Errorf("%s: the budget of this ledger is ε %g at δ %g and cannot be changed to ε %g at δ %g; "+
			"leave out the budget to use this one", path, l.Budget.Epsilon, l.Budget.Delta, budget.Epsilon,
			budget.Delta)
	}
	spent := l.Spent()
	if spent+rho > l.Budget.Rho()*(1+1e-12) {
		return nil, &BudgetError{Path: path, Budget: l.Budget, Spent: EpsilonOf(spent, l.Budget.Delta),
			Asked: EpsilonOf(spent+rho, l.Budget.Delta)}
	}
	l.Releases = append(l.Releases, LedgerEntry{Rho: rho, What: what})
	return l, archive.WriteFile(path, func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(l)
	})
}
