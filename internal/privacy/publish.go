package privacy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/subclasses"
	"rao/internal/text"
)

// PublishOptions specify which rounds a site runs and which ledger is charged.
type PublishOptions struct {
	Options
	Ledger string    // file that is charged before all rows are read; empty: none
	Budget Guarantee // budget for a ledger that does not exist yet
	Start  bool      // run only the first of the rounds of several sites
	After  string    // run only the round after this merged file, which also has the domain
	Chosen bool      // the user chose Kind, so it must agree with After

	unknown bool // After does not contain the ledger's site, so its earlier rounds were not charged to it

	// Charged, if not nil, is called with the charged ledger. created is true for a new ledger.
	Charged func(l *Ledger, created bool)
}

// Publish returns the release of a site, for all rounds or for one round of several sites, and charges the release to a
// ledger. rows returns the function that reads the rows. That function is called once per round. Before anything is
// charged, it is also called once to check the first rows, so data that cannot be read or do not fit the plan are not
// charged. Reading sets the names of the columns if they are empty. Names that look like values, or that contradict the
// earlier file, are an error, and nothing is released. A charge remains if the release fails.
func Publish(ctx context.Context, rows func(columns *[]string) subclasses.Rows, opt PublishOptions) (*Release, error) {
	if opt.Start && opt.Basis != nil {
		return nil, rao.Optionf("round", "statistics with a public basis have only one round; leave out {round}")
	}
	plan, site, err := opt.plan()
	if err != nil {
		return nil, err
	}
	read := rows(&plan.Columns)
	if err := plan.check(read); err != nil {
		return nil, err
	}
	if site, err = opt.charge(plan, site); err != nil {
		return nil, err
	}
	return rounds(ctx, read, plan, site, opt.Options, opt.oneRound())
}

func (opt *PublishOptions) oneRound() bool { return opt.Start || opt.After != "" }

// rounds runs the next round and, unless oneRound is true, all rounds after it.
func rounds(ctx context.Context, read subclasses.Rows, plan *Plan, site *Site, opt Options, oneRound bool) (
	*Release, error) {
	for {
		r, err := measure(ctx, read, plan, site, opt)
		if err != nil {
			return nil, err
		}
		if err := namesAreNoValues(plan.Columns); err != nil {
			return nil, err
		}
		if oneRound || r.Complete() {
			return r, nil
		}
		site = &r.Sites[0]
		if plan, err = r.Next(opt.Dim); err != nil {
			return nil, err
		}
	}
}

// plan returns the plan of the next round, and the earlier releases of the site, which are nil for a new site.
func (opt *PublishOptions) plan() (*Plan, *Site, error) {
	name := ""
	if opt.Ledger != "" {
		l, err := ReadLedger(opt.Ledger)
		if err == nil {
			name = l.Site
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
	}
	if opt.After == "" {
		p, err := Begin(opt.Options)
		if err != nil || name == "" {
			return p, nil, err
		}
		return p, &Site{ID: name}, nil
	}
	r, err := ReadFile(opt.After)
	if err != nil {
		return nil, nil, err
	}
	p, err := r.Next(opt.Dim)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", opt.After, err)
	}
	if !slices.Equal(p.Classes, opt.Classes) {
		return nil, nil, rao.Optionf("classes", "%s has other classes; give {classes=%s}", opt.After,
			strings.Join(p.Classes, ","))
	}
	if (opt.Chosen || opt.Kind == Pooled) && p.Kind != opt.Kind || opt.Basis != nil {
		return nil, nil, rao.Optionf("kind", "%s is a round of %s statistics, and the next round must match; leave "+
			"out {kind} and {basis}", opt.After, p.Kind)
	}
	if p.Unit != opt.Unit || opt.UnitRows != 0 && opt.UnitRows != p.UnitRows {
		return nil, nil, rao.Optionf("unit", "%s protects each %s%s; give the same {unit}, and leave out {unit-rows}",
			opt.After, Guarantee{Unit: p.Unit}.Protects(), p.rowsOfUnit())
	}
	d := opt.Domain.of(len(p.Center))
	if (d.Low != nil || d.Clip != 0) && (d.Clip != p.Domain.Clip || !slices.Equal(d.Low, p.Domain.Low) ||
		!slices.Equal(d.High, p.Domain.High)) {
		return nil, nil, rao.Optionf("range", "%s has another range of values or another largest norm of a row; "+
			"leave out {range} and {clip} to use the limits in the file", opt.After)
	}
	site := r.SiteAfter(name)
	opt.unknown = !slices.ContainsFunc(r.Sites, func(s Site) bool { return s.ID == site.ID })
	return p, site, nil
}

// check reads the first rows to test whether they fit the plan. It stores nothing about the rows.
func (p *Plan) check(read subclasses.Rows) error {
	begun := false
	var unfit error
	err := read(func(x mat.Matrix, _ []int, _ []string) error {
		trial := *p
		_, n := x.Dims()
		if unfit = trial.begin(n); unfit == nil && n != len(trial.Center) {
			unfit = fmt.Errorf("the data have %s, but the earlier round has %d; give the same columns",
				text.Plural(n, "column", "columns"), len(trial.Center))
		}
		begun = true
		return errEnough
	})
	switch {
	case unfit != nil:
		return unfit
	case begun:
		return namesAreNoValues(p.Columns)
	case err == nil:
		return errors.New("the data have no rows; give at least one")
	}
	return err
}

var errEnough = errors.New("enough rows were read")

// charge charges the release to the ledger before all rows are read, and returns the site. If earlier rounds were not
// charged to this ledger, it charges them too.
func (opt *PublishOptions) charge(plan *Plan, site *Site) (*Site, error) {
	if opt.Ledger == "" {
		return site, nil
	}
	rho, what := opt.Guarantee.Rho(), "all rounds"
	if opt.oneRound() {
		rho, what = plan.rho(opt.Guarantee), "round "+plan.Round.String()
	}
	_, err := os.Stat(opt.Ledger)
	created := errors.Is(err, fs.ErrNotExist)
	if site != nil && (created || opt.unknown) {
		rho, what = rho+site.rho(), what+" and those before"
	}
	budget := opt.Budget
	budget.Unit = opt.Unit
	l, err := charge(opt.Ledger, budget, rho, what)
	if err != nil {
		return nil, err
	}
	if opt.Charged != nil {
		opt.Charged(l, created)
	}
	own := &Site{ID: l.Site}
	if site != nil {
		own.Releases = site.Releases
	}
	return own, nil
}

// namesAreNoValues returns an error if the name of a column is a number other than the index of the column. The names
// may then be a row that was mistaken for a header, and the file would publish this row.
func namesAreNoValues(columns []string) error {
	for j, name := range columns {
		if _, err := strconv.ParseFloat(name, 64); err == nil && name != strconv.Itoa(j) {
			return rao.Optionf("header", "column %d is named %q, which looks like a value and would be published; if "+
				"the first line contains data, give {header=no}", j, name)
		}
	}
	return nil
}
