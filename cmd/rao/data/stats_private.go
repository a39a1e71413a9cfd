package data

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/privacy"
	"rao/internal/subclasses"
	"rao/internal/text"
)

const titlePrivate = "Statistics that hide every row"

func init() {
	app.Topic("private", titlePrivate, "How statistics hide every row (differential privacy)",
		"Flags of rao stats for data that must stay private. The page docs/private-statistics.md explains them.",
		func(cmd *cobra.Command) { new(privateFlags).register(cmd.Flags()) })
}

type privateFlags struct {
	cmd                              *cobra.Command
	guarantee, values, clip, classes string
	ledger, budget, round, after     string
	unit                             string
	unitRows                         int
	publicBasis                      bool
}

func (f *privateFlags) add(cmd *cobra.Command) {
	f.cmd = cmd
	app.InGroup(cmd.Flags(), titlePrivate, f.register)
}

func (f *privateFlags) register(flags *pflag.FlagSet) {
	app.TextVar(flags, &f.guarantee, "private", "EPSILON,DELTA", "", "hide every row by noise (differential "+
		"privacy), such as 1,1e-6")
	app.TextVar(flags, &f.values, "range", "LOW,HIGH|FILE", "", "range of the values of every column, or a file "+
		"with one line per column")
	app.TextVar(flags, &f.clip, "clip", "LENGTH", "", "largest Euclidean norm of a row, instead of --range; "+
		"longer rows are scaled down")
	app.TextVar(flags, &f.classes, "classes", "LIST|@FILE", "", "all classes, such as yes,no or 0-9")
	app.TextVar(flags, &f.ledger, "ledger", "FILE", "", "file that adds up the privacy cost of the site's "+
		"releases; charged before the data are read")
	app.TextVar(flags, &f.budget, "budget", "EPSILON,DELTA", "", "total privacy budget of a new ledger")
	app.TextVar(flags, &f.round, "round", "start", "", "compute the first round of several sites")
	app.TextVar(flags, &f.after, "after", "FILE", "", "merged file of the previous round; computes the next round")
	app.TextVar(flags, &f.unit, "unit", "COLUMN", "",
		"column such as a person: all rows with the same value are hidden together")
	app.CountFlag(flags, &f.unitRows, "unit-rows", 0, 1, 1000,
		"number of rows to use per unit, from the first; one by default")
	flags.BoolVar(&f.publicBasis, "public", false, "confirm that --basis is from public data")
}

// check reports whether the flags ask for private statistics. It returns a usage error for flags that would break the
// guarantee.
func (f *privateFlags) check() (bool, error) {
	changed := f.cmd.Flags().Changed
	if f.guarantee == "" {
		for _, name := range []string{"range", "clip", "classes", "ledger", "budget", "round", "after", "unit",
			"unit-rows", "public"} {
			if changed(name) {
				return false, app.Usagef("--%s needs --private", name)
			}
		}
		return false, nil
	}
	for name, why := range map[string]string{
		"seed":         "known noise hides nothing",
		"moments":      "third and fourth moments would have no noise",
		"subclasses":   "private statistics have one Gaussian per class",
		"components":   "--subspace sets the number of dimensions",
		"precision":    "private statistics are stored as whole numbers",
		"min-count":    "leaving out small classes would reveal their counts",
		"hashes":       "hashes show which rows took part",
		"allow-single": "a class of one row is protected in any case",
	} {
		if changed(name) {
			return false, app.Usagef("--%s does not work with --private, because %s; leave it out", name, why)
		}
	}
	switch missing := f.cmd.Flags().Lookup("missing").Value.String(); {
	case missing != "" && missing != "error" && missing != "drop":
		return false, app.Usagef("--missing %s does not work with --private, because the %s is computed from the "+
			"rows; leave incomplete rows out with --missing drop", missing, missing)
	case changed("categories"):
		return false, app.Usagef("--categories does not work with --private, because texts that are found in the " +
			"data are private; leave it out")
	case f.publicBasis && !changed("basis"):
		return false, app.Usagef("--public confirms that --basis is from public data; give --basis too, or leave " +
			"--public out")
	case changed("basis") && !f.publicBasis:
		return false, app.Usagef("--basis with --private needs --public, which confirms that the basis is from " +
			"public data")
	case changed("budget") && f.ledger == "":
		return false, app.Usagef("--budget needs --ledger")
	case changed("unit-rows") && f.unit == "":
		return false, app.Usagef("--unit-rows needs --unit")
	case f.round != "" && f.after != "":
		return false, app.Usagef("give either --round start or --after FILE, not both")
	case f.round != "" && f.round != "start":
		return false, app.Usagef("--round accepts only start, not %q; start a later round with --after", f.round)
	}
	return true, nil
}

func (f *privateFlags) options(kind string, dims int, basis string) (opt privacy.Options, err error) {
	if opt.Guarantee, err = privacy.ParseGuarantee("private", f.guarantee); err != nil {
		return opt, app.AsUsage(err)
	}
	switch {
	case kind == "pooled":
		opt.Kind = privacy.Pooled
	case kind != "full":
		return opt, app.Usagef("--kind %s cannot be used with --private; use full or pooled", kind)
	}
	if f.classes == "" {
		return opt, app.Usagef("--private needs --classes: which classes occur in the data is itself private")
	}
	if opt.Classes, err = privacy.ReadClasses(f.classes); err != nil {
		return opt, app.AsUsage(err)
	}
	if len(opt.Classes) == 1 {
		return opt, app.Usagef("--classes names only %s; list all classes, such as cat,dog or 0-9, or give a file "+
			"with one class per line as @FILE", opt.Classes[0])
	}
	if opt.Domain, err = f.domain(); err != nil {
		return opt, app.AsUsage(err)
	}
	opt.Dim = dims
	if opt.Unit = f.unit; f.unit != "" {
		opt.Units, opt.UnitRows = new([]string), f.unitRows
		if err := opt.Guarantee.Validate(); err != nil {
			return opt, app.Usagef("--unit: %v", err)
		}
	}
	if basis != "" {
		opt.Basis, err = subclasses.ReadBasis(basis)
	}
	return opt, err
}

// domain parses --range or --clip.
func (f *privateFlags) domain() (privacy.Domain, error) {
	switch {
	case f.values != "" && f.clip != "":
		return privacy.Domain{}, app.Usagef("give either --range or --clip, not both")
	case f.clip != "":
		return privacy.ParseClip(f.clip)
	case f.values == "" && f.after != "":
		return privacy.Domain{}, nil // the file of the previous round contains the domain
	case f.values == "":
		return privacy.Domain{}, app.Usagef("--private needs --range or --clip: the range of the data is itself " +
			"private")
	}
	return privacy.ReadRanges(f.values)
}

// privateResult is the JSON output of rao stats for private statistics.
type privateResult struct {
	Classes []string `json:"classes"`
	Counts  []int64  `json:"counts"` // with noise
	Dim     int      `json:"dim"`
	Round   string   `json:"round"`
	Sites   int      `json:"sites"`
	Epsilon float64  `json:"epsilon"`
	Delta   float64  `json:"delta"`
	Unit    string   `json:"unit,omitempty"` // what is protected, unless it is single rows
	Out     string   `json:"out"`
}

// publish reads the data, once per round, and writes the file to share.
func (f *privateFlags) publish(ctx context.Context, a *app.App, data *app.DataFlags, opt privacy.Options,
	out string) error {
	pub := privacy.PublishOptions{Options: opt, Ledger: f.ledger, Start: f.round != "", After: f.after,
		Chosen: f.cmd.Flags().Changed("kind"),
		Charged: func(l *privacy.Ledger, created bool) {
			if created {
				a.Note("a new ledger was made: %s", f.ledger)
			}
			a.Note("%s: ε %.4g of %g is spent", f.ledger, privacy.EpsilonOf(l.Spent(), l.Budget.Delta),
				l.Budget.Epsilon)
		}}
	var err error
	if f.budget != "" {
		if pub.Budget, err = privacy.ParseGuarantee("budget", f.budget); err != nil {
			return app.AsUsage(err)
		}
	}
	if f.ledger == "" {
		a.Note("every further release of these rows weakens their privacy; --ledger FILE --budget %g,%g keeps track "+
			"of the total", opt.Epsilon, opt.Delta)
	}
	in, err := openStream(ctx, a, data)
	if err != nil {
		return err
	}
	defer in.close()
	in.opt.OnReading = nil // these messages depend on the rows, so the JSON must not contain them
	var once sync.Once     // every round reads the same rows
	pub.Others = func(rows int) {
		if rows > 0 {
			once.Do(func() {
				a.Note("left out: %s of classes that --classes does not list (this number is exact and only for you: "+
					"it is not in %s and must not be shared)", text.Plural(rows, "row", "rows"), out)
			})
		}
	}
	r, err := privacy.Publish(ctx, func(columns *[]string) subclasses.Rows {
		return dataset.LabeledRows(ctx, in.spec, columns, opt.Unit, opt.Units, in.rows, in.opt)
	}, pub)
	if err != nil {
		return withoutValues(app.FromInput(err, in.given, in.spec))
	}
	return savePrivate(a, r, out)
}

// quoted matches a quoted string in an error, and the word "column" if it is directly before the string.
var quoted = regexp.MustCompile(`(column )?"((?:[^"\\]|\\.)*)"`)

// withoutValues hides the quoted strings of an error, because they may be values of the data. It does not hide column
// names, because a release contains them.
func withoutValues(err error) error {
	if errors.Is(err, dataset.ErrNoRows) {
		return errors.New("no row matches --where; check its name and value")
	}
	message := app.Message(err)
	hidden := quoted.ReplaceAllStringFunc(message, func(found string) string {
		parts := quoted.FindStringSubmatch(found)
		if _, err := strconv.ParseFloat(parts[2], 64); parts[1] != "" && err != nil {
			return found
		}
		return parts[1] + "(not shown)"
	})
	if hidden == message {
		return err
	}
	return errors.New(hidden)
}

// mergePrivate adds up the releases of several sites.
func mergePrivate(a *app.App, paths []string, out string) error {
	parts := make([]*privacy.Release, len(paths))
	for i, path := range paths {
		if !privacy.IsFile(path) {
			return fmt.Errorf("%s contains plain statistics, but other files contain private ones, so the merge "+
				"would not be private; merge only private files", path)
		}
		var err error
		if parts[i], err = privacy.ReadFile(path); err != nil {
			return err
		}
	}
	r, err := privacy.Merge(parts...)
	if e := (*privacy.MergeError)(nil); errors.As(err, &e) {
		return errors.New(e.Text(func(i int) string { return paths[i] }))
	}
	if err != nil {
		return err
	}
	return savePrivate(a, r, out)
}

func savePrivate(a *app.App, r *privacy.Release, out string) error {
	if err := r.WriteFile(out); err != nil {
		return err
	}
	g := r.Guarantee()
	res := privateResult{r.Plan.Classes, r.Counts, r.Plan.Dim, r.Plan.Round.String(), r.Contributors(), g.Epsilon,
		g.Delta, g.Unit, out}
	if total := float64(r.Total()); total > 0 && g.Delta > 1/total {
		a.Note("δ %g is larger than 1/%.0f, one over the number of rows, so a few rows could be revealed; choose a "+
			"smaller δ",
			g.Delta, total)
	}
	if advice := r.Advice(); advice != "" {
		a.Note("%s", text.Visible(advice))
	}
	return a.Emit(res, func() {
		if len(r.Counts) == len(r.Plan.Classes) {
			rows := make([][]string, len(r.Counts))
			for i, n := range r.Counts {
				rows[i] = []string{text.Cell(r.Plan.Classes[i]), fmt.Sprint(n)}
			}
			a.Table([]string{"class", "count (noisy)"}, rows)
		}
		what := "private statistics"
		if !r.Complete() {
			what = fmt.Sprintf("private sums (round %s)", r.Plan.Round)
		}
		a.Note("%s of %s in %s, with ε %.4g at δ %g for each %s; written to %s", what,
			text.Plural(r.Contributors(), "site", "sites"), text.Plural(r.Plan.Dim, "dimension", "dimensions"),
			g.Epsilon, g.Delta, text.Cell(g.Protects()), out)
	})
}
