package privacy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/rows"
	"rao/internal/subclasses"
	"rao/internal/testkit"
)

// exactUnitSums reads rows by a plan without noise, and no more rows of a unit than the plan says.
func exactUnitSums(t *testing.T, p *Plan, x *mat.Dense, labels []int, units []string) *sums {
	t.Helper()
	s := newSums(p.groups(), p.Dim, p.squares())
	n, d := x.Dims()
	used := map[string]int{}
	for at := 0; at < n; at += 7 { // units go on in the next block
		to := min(n, at+7)
		groups := slices.Clone(labels[at:to])
		testkit.NoError(t, p.limitUnits(groups, units[at:to], used))
		s.addRows(p, rows.New(x.Slice(at, to, 0, d)), groups)
	}
	return s
}

// Removing all rows of any unit changes the integers by no more than the stated ρ, in exact arithmetic, even if its
// rows are in several classes. A unit of one class whose rows are equal and far away reaches ρ.
func TestUnitSensitivityIsBounded(t *testing.T) {
	const n, rho = 60, 0.3
	for trial := range uint64(6) {
		d := 1 + int(trial)*3
		x, labels := randomRows(trial, n, d)
		rng := rand.New(rand.NewPCG(trial, 0x417))
		units := make([]string, n)
		for i := range units {
			units[i] = fmt.Sprint("u", rng.IntN(12))
		}
		for i := range 6 { // the largest unit there can be
			x.SetRow(i, slices.Repeat([]float64{1e9}, d))
			labels[i], units[i] = 0, "far"
		}
		for _, p := range testPlans(t, d) {
			for _, most := range []int{1, 2, 5} {
				p.Unit, p.UnitRows = "person", most
				all := exactUnitSums(t, p, x, labels, units)
				worst := 0.0
				for _, unit := range slices.Compact(slices.Sorted(slices.Values(units))) {
					var kept []int
					for i, u := range units {
						if u != unit {
							kept = append(kept, i)
						}
					}
					fewer, of, us := mat.NewDense(len(kept), d, nil), make([]int, len(kept)), make([]string, len(kept))
					for to, i := range kept {
						fewer.SetRow(to, x.RawRowView(i))
						of[to], us[to] = labels[i], units[i]
					}
					without := exactUnitSums(t, p, fewer, of, us)
					spent := 0.0
					eachNoisy(p, rho, all.parts(), without.parts(),
						func(_, _ int, a, b int64, sigma float64) { spent += spentBy(a-b, sigma) })
					worst = max(worst, spent)
				}
				if worst > rho*(1+1e-12) || worst < 0.8*rho && d > 3 {
					t.Errorf("round %s, %d columns, %d rows of a unit: the largest ρ of a unit is %g of %g", p.Round, d,
						most, worst, rho)
				}
			}
		}
	}
}

// An attacker who knows all other units recognizes one with several rows no better than the bound.
func TestAuditOfUnits(t *testing.T) {
	const most = 3
	p := testPlans(t, 4)[2]
	p.Unit, p.UnitRows = "person", most
	x := mat.NewDense(5, 4, slices.Repeat([]float64{5}, 20)) // five rows at the corner, of which three count
	unit := func() *sums { return exactUnitSums(t, p, x, make([]int, 5), slices.Repeat([]string{"a"}, 5)) }
	testkit.Equal(t, unit().rows, most, "used rows of a unit")
	audit(t, p, Guarantee{Epsilon: 3, Delta: 1e-6, Unit: "person"}, testSampler(17), unit)
}

// unitOptions returns options that protect persons. Row i belongs to person i modulo 100.
func unitOptions(seed uint64, n, most int) Options {
	opt := testOptions(seed)
	units := make([]string, n)
	for i := range units {
		units[i] = fmt.Sprint(i % 100)
	}
	opt.Unit, opt.Units, opt.UnitRows = "person", &units, most
	return opt
}

// A file stores the unit, later rounds and merges use it, and the description of the release contains it.
func TestUnitsAreKept(t *testing.T) {
	const n, d = 300, 5
	x, labels := randomRows(11, n, d)
	read := subclasses.RowsOf(x, labels, threeClasses)
	r := testkit.Must(Estimate(context.Background(), read, unitOptions(1, n, 2)))(t)
	path := filepath.Join(t.TempDir(), "r.npz")
	testkit.NoError(t, r.WriteFile(path))
	back := testkit.Must(ReadFile(path))(t)
	if g := back.Guarantee(); g.Unit != "person" || back.Plan.UnitRows != 2 {
		t.Errorf("the file protects %q with %d rows each", g.Unit, back.Plan.UnitRows)
	}
	for _, want := range []string{"for each person", "at most 2 rows"} {
		testkit.Contains(t, back.Describe(), want, "lacks")
	}
	first := func(opt Options) *Release {
		p := testkit.Must(Begin(opt))(t)
		return testkit.Must(Measure(context.Background(), read, p, nil, opt))(t)
	}
	two, three, none := first(unitOptions(1, n, 2)), first(unitOptions(2, n, 3)), first(testOptions(3))
	visit := unitOptions(4, n, 2)
	visit.Unit = "visit"
	for _, other := range []*Release{three, none, first(visit)} {
		testkit.Fails(t, testkit.ErrorOf(Merge(two, other)),
			fmt.Sprintf("a merge of 2 rows of each person and %d of each %q", other.Plan.UnitRows, other.Plan.Unit))
	}
	testkit.NoError(t, testkit.ErrorOf(Merge(two, first(unitOptions(9, n, 2)))))
	// the noise of twice as many rows
	if single := first(unitOptions(5, n, 1)); math.Abs(two.SumNoise/single.SumNoise-4) > 0.01 {
		t.Errorf("the variance of the noise is %g and %g for two rows of a unit", single.SumNoise, two.SumNoise)
	}
}

// A ledger of units counts releases that protect the same unit, and no others.
func TestUnitsOfALedger(t *testing.T) {
	const n, d = 300, 4
	x, labels := randomRows(12, n, d)
	path := filepath.Join(t.TempDir(), "ledger.json")
	publish := func(opt Options, budget Guarantee) error {
		_, err := Publish(context.Background(), func(*[]string) subclasses.Rows {
			return subclasses.RowsOf(x, labels, threeClasses)
		}, PublishOptions{Options: opt, Ledger: path, Budget: budget})
		return err
	}
	testkit.NoError(t, publish(unitOptions(1, n, 1), Guarantee{Epsilon: 1.2, Delta: 1e-6}))
	testkit.ErrorContains(t, publish(testOptions(1), Guarantee{}), "person",
		"a ledger of persons counts a release of rows")
	var spent *BudgetError
	if err := publish(unitOptions(1, n, 1), Guarantee{}); !errors.As(err, &spent) {
		t.Errorf("the second release: %v", err)
	}
}

// These are errors: a row without a unit, a number of units that differs from the number of rows, and an invalid number
// of rows per unit.
func TestBadUnits(t *testing.T) {
	const n = 20
	x, labels := randomRows(13, n, 3)
	read := subclasses.RowsOf(x, labels, threeClasses)
	for name, change := range map[string]func(o *Options){
		"empty":    func(o *Options) { (*o.Units)[3] = "" },
		"few":      func(o *Options) { *o.Units = (*o.Units)[:5] },
		"negative": func(o *Options) { o.UnitRows = -1 },
		"many":     func(o *Options) { o.UnitRows = mostUnitRows + 1 },
		"unnamed":  func(o *Options) { o.Unit = "" },
		"hostile":  func(o *Options) { o.Unit = "a\x1b[2J" },
		"no units": func(o *Options) { o.Units = nil },
	} {
		opt := unitOptions(1, n, 1)
		change(&opt)
		testkit.Fails(t, testkit.ErrorOf(Estimate(context.Background(), read, opt)), name, "no")
	}
}
