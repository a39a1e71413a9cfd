package privacy

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/subclasses"
	"rao/internal/testkit"
)

// A site spends the same budget if it makes its rounds one by one or all at once. A release that the ledger does not
// allow is rejected before any row is read. Numbers as names of columns are not published.
func TestPublishChargesItsLedger(t *testing.T) {
	x, labels := randomRows(3, 300, 4)
	reads := 0
	var names []string
	rows := func(columns *[]string) subclasses.Rows {
		inner := subclasses.RowsOf(x, labels, threeClasses)
		return func(each func(x mat.Matrix, labels []int, classes []string) error) error {
			reads++
			*columns = names
			return inner(each)
		}
	}
	dir := t.TempDir()
	options := func(ledger string, seed uint64) PublishOptions {
		opt := PublishOptions{Options: testOptions(seed), Ledger: filepath.Join(dir, ledger)}
		opt.Budget = opt.Guarantee
		return opt
	}
	all := options("all.json", 7)
	created := 0
	all.Charged = func(_ *Ledger, isNew bool) {
		if isNew {
			created++
		}
	}
	r, err := Publish(context.Background(), rows, all)
	if err != nil || !r.Complete() || reads != 4 || created != 1 {
		t.Fatalf("%d readings, %d ledgers, %v", reads, created, err)
	}
	var budget *BudgetError
	if _, err := Publish(context.Background(), rows, all); !errors.As(err, &budget) || reads != 5 {
		t.Errorf("beyond the budget: %v after %d readings", err, reads)
	}

	each := options("each.json", 8)
	each.Start = true
	for round := range 3 {
		one := testkit.Must(Publish(context.Background(), rows, each))(t)
		testkit.Equal(t, one.Complete(), round == 2, "round", round)
		each.Start, each.After = false, filepath.Join(dir, "round.npz")
		testkit.NoError(t, one.WriteFile(each.After))
		r = one
	}
	whole := testkit.Must(ReadLedger(all.Ledger))(t)
	parts := testkit.Must(ReadLedger(each.Ledger))(t)
	if a, b := whole.Spent(), parts.Spent(); math.Abs(a-b) > 1e-12 || r.Sites[0].ID != parts.Site {
		t.Errorf("all rounds at once spend ρ %g, one by one %g", a, b)
	}

	// A ledger that was not given in an earlier round is charged with it, too.
	first := options("late.json", 12)
	first.Start, first.Ledger = true, ""
	started := testkit.Must(Publish(context.Background(), rows, first))(t)
	late := options("late.json", 13)
	late.Start, late.Budget.Epsilon = true, 12
	testkit.Must(Publish(context.Background(), rows, late))(t)
	late.Start, late.Budget, late.After = false, Guarantee{}, filepath.Join(dir, "late.npz")
	testkit.NoError(t, started.WriteFile(late.After))
	after := testkit.Must(Publish(context.Background(), rows, late))(t)
	ledger := testkit.Must(ReadLedger(late.Ledger))(t)
	charged := ledger.Releases[len(ledger.Releases)-1].Rho
	if want := late.Rho() * (0.05 + 0.25); math.Abs(charged-want) > 1e-12 || after.Sites[0].rho() > charged*(1+1e-12) {
		t.Errorf("the ledger is charged with ρ %g of both rounds, want %g", charged, want)
	}

	names = []string{"5.1", "3.5", "1.4", "0.2"}
	testkit.ErrorContains(t, testkit.ErrorOf(Publish(context.Background(), rows, options("names.json", 9))),
		"header=no", "values as names")
	basis := options("basis.json", 10)
	basis.Start, basis.Basis = true, &subclasses.Basis{}
	testkit.ErrorContains(t, testkit.ErrorOf(Publish(context.Background(), rows, basis)), "one round",
		"rounds with a public basis")
}

// A later round keeps the range and the kind of the file of the previous round.
func TestLaterRoundsKeepTheirRange(t *testing.T) {
	x, labels := mat.NewDense(40, 2, nil), make([]int, 40)
	for i := range labels {
		labels[i] = i % 2
		x.Set(i, 0, float64(i%7))
	}
	classes := []string{"a", "b"}
	rows := func(*[]string) subclasses.Rows { return subclasses.RowsOf(x, labels, classes) }
	opt := PublishOptions{Options: Options{Guarantee: Guarantee{Epsilon: 1, Delta: 1e-6}, Classes: classes,
		Domain: Domain{Low: []float64{0}, High: []float64{7}}}, Start: true}
	r := testkit.Must(Publish(t.Context(), rows, opt))(t)
	opt.Start, opt.After = false, filepath.Join(t.TempDir(), "r.npz")
	testkit.NoError(t, r.WriteFile(opt.After))
	testkit.NoError(t, testkit.ErrorOf(Publish(t.Context(), rows, opt)), "the same range is refused")
	for name, change := range map[string]func(o *PublishOptions){
		"range":  func(o *PublishOptions) { o.Domain.High = []float64{8} },
		"length": func(o *PublishOptions) { o.Domain = Domain{Clip: 3} },
		"kind":   func(o *PublishOptions) { o.Kind = Pooled },
		"basis":  func(o *PublishOptions) { o.Basis = new(subclasses.Basis) },
	} {
		other := opt
		change(&other)
		testkit.ErrorContains(t, testkit.ErrorOf(Publish(t.Context(), rows, other)), "leave", "another", name)
	}
}
