package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"rao"
	"rao/dataset"
	"rao/internal/suggest"
	"rao/method"
	"rao/model"
	"rao/report"
	"rao/spd"
)

// groupFlags say how compare leaves out groups.
type groupFlags struct {
	groups, recordings, calibrate, align string
	folds, repeats, few                  int
	tradeoff                             float64
	predictions, figure                  string
}

// groupScore is what a method does on one group that was left out.
type groupScore struct {
	Group    string `json:"group"`
	Repeat   int    `json:"repeat,omitempty"` // from 0
	N        int    `json:"n"`
	Accuracy number `json:"accuracy"`
	Kappa    number `json:"kappa"`
}

// groupRow is a method with one way to align the groups; its JSON names do not change.
type groupRow struct {
	Method     string       `json:"method"`
	Align      string       `json:"align"`
	Accuracy   number       `json:"accuracy"` // means over the groups, with their standard deviations
	AccuracySD number       `json:"accuracy_sd"`
	Kappa      number       `json:"kappa"`
	KappaSD    number       `json:"kappa_sd"`
	Seconds    float64      `json:"seconds"`
	Groups     []groupScore `json:"groups"`
	Error      string       `json:"error,omitempty"`

	folds []float64 // accuracy of each fold of each repeat
}

type groupResult struct {
	Train  string       `json:"train"`
	Groups string       `json:"groups"`
	Rows   []*groupRow  `json:"rows"`
	Pairs  []pairResult `json:"pairs,omitempty"`
}

// groupWays are the ways to align groups, in the order of help.
var groupWays = []string{"none", "center", "scale", "rotate"}

// ways returns those of --align, and the variable and value of --calibrate.
func (f *groupFlags) ways() (ways []string, variable, value string, err error) {
	for _, w := range splitList(f.align) {
		if !slices.Contains(groupWays, w) {
			return nil, "", "", usagef("--align: %v", suggest.Unknown("way", w, groupWays))
		}
		ways = append(ways, w)
	}
	if f.calibrate != "" {
		var ok bool
		if variable, value, ok = strings.Cut(f.calibrate, "="); !ok || variable == "" {
			return nil, "", "", usagef("--calibrate %q: want NAME=VALUE", f.calibrate)
		}
	} else if slices.Contains(ways, "rotate") {
		return nil, "", "", usagef("--align rotate needs labels of the group that is left out: name the rows that " +
			"give them with --calibrate NAME=VALUE")
	}
	return ways, variable, value, nil
}

// grouped is data whose groups are left out one at a time.
type grouped struct {
	data       *dataset.Data
	names      []string // of the groups
	of         []int    // group of each observation
	recordings []int    // nil: a group is one
	calibrates []bool   // rows that are not scored
	known      []bool   // those of them whose labels are used
	tradeoff   float64  // between the means of others and those of the known rows

	folds, repeats int
	keep           bool // the predictions
	decisions      []decision
}

// compareGroups leaves out every group for every method and way.
func (a *app) compareGroups(ctx context.Context, train *dataFlags, f *groupFlags, list []*method.Method,
	set method.Settings) error {
	ways, variable, value, err := f.ways()
	if err != nil {
		return err
	}
	g, err := a.openGroups(ctx, train, f, variable, value)
	if err != nil {
		return err
	}
	if f.folds > len(g.names) {
		return usagef("--cv %d: there are %d groups", f.folds, len(g.names))
	}
	if f.folds > 0 && !slices.Equal(ways, []string{"none"}) {
		return usagef("--align moves one group at a time; leave --cv out")
	}
	if g.data.Stack == nil && !slices.Equal(ways, []string{"none"}) {
		return usagef("--align is for matrices; %s holds vectors", g.data.Source)
	}
	if err := f.checkTradeoff(list); err != nil {
		return err
	}
	g.folds, g.repeats, g.tradeoff = f.folds, max(1, f.repeats), f.tradeoff
	g.knowFew(f.few)
	g.keep = f.predictions != ""
	res := &groupResult{Train: g.data.Source, Groups: f.groups}
	for _, m := range list {
		for _, way := range ways {
			row := a.compareGroup(ctx, g, m, way, set)
			if ctx.Err() != nil {
				break
			}
			if row.Error != "" {
				a.note("%s, %s: %s", m.Name, way, row.Error)
			}
			res.Rows = append(res.Rows, row)
		}
	}
	if len(res.Rows) == 0 {
		return ctx.Err()
	}
	if ctx.Err() == nil {
		res.Pairs = g.pairs(res.Rows)
	}
	if g.keep && ctx.Err() == nil {
		if err := g.writePredictions(f.predictions); err != nil {
			return err
		}
		a.note("predictions written to %s", f.predictions)
	}
	if f.figure != "" && ctx.Err() == nil {
		if err := res.draw(ways).WriteFile(f.figure); err != nil {
			return err
		}
		a.note("picture written to %s", f.figure)
	}
	if err := a.emit(res, func() { a.printGroups(res) }); err != nil {
		return err
	}
	return res.failure(ctx)
}

// draw draws the mean accuracies and their standard deviations over the groups.
func (r *groupResult) draw(ways []string) *report.Figure {
	var bars []report.Bar
	for _, row := range r.Rows {
		if row.Error != "" {
			continue
		}
		b := report.Bar{Label: row.Method, Value: float64(row.Accuracy)}
		if len(ways) > 1 {
			b.Label += ", " + row.Align
		}
		b.Low, b.High = b.Value-float64(row.AccuracySD), min(1, b.Value+float64(row.AccuracySD))
		bars = append(bars, b)
	}
	return report.Bars("Mean accuracy and its deviation over what is left out", bars,
		report.BarsOptions{Axis: barAxis(bars)})
}

// openGroups reads the data; groups named source are the sets that --train lists.
func (a *app) openGroups(ctx context.Context, train *dataFlags, f *groupFlags, variable,
	value string) (*grouped, error) {
	wanted := append(splitList(f.groups), f.recordings, variable)
	train.opt.Table.Variables = slices.DeleteFunc(wanted, func(s string) bool {
		return s == "" || s == "source"
	})
	g := &grouped{}
	var err error
	if names := splitList(train.spec); f.groups == "source" {
		if opt, err := train.options(); err != nil || opt.Table.Learn {
			return nil, cmp.Or(err, usagef("--groups source reads every file by itself; --categories, --missing, "+
				"--drop, "+
				"--keep and --id-column need one reading: name a column in --groups"))
		}
		var sets []*dataset.Data
		for _, name := range names {
			one := *train
			one.spec = name
			d, err := one.open(ctx, a, "train", true)
			if err != nil {
				return nil, err
			}
			sets = append(sets, d)
		}
		if g.data, err = dataset.Together(sets, names); err != nil {
			return nil, err
		}
	} else if g.data, err = train.open(ctx, a, "train", true); err != nil {
		return nil, err
	}
	if g.of, g.names, err = combinations(g.data, splitList(f.groups)); err != nil {
		return nil, fmt.Errorf("%s: %w", g.data.Source, err)
	}
	if f.recordings != "" {
		if g.recordings, _, err = groupsOf(g.data, f.recordings); err != nil {
			return nil, fmt.Errorf("%s: %w", g.data.Source, err)
		}
	} else {
		g.recordings = model.RecordingsOf(g.data)
	}
	g.calibrates = make([]bool, g.data.N())
	if variable == "" {
		return g, nil
	}
	if _, _, err := groupsOf(g.data, variable); err != nil {
		return nil, fmt.Errorf("%s: --calibrate: %w", g.data.Source, err)
	}
	for i := range g.calibrates {
		g.calibrates[i] = g.data.Vars[variable].Text(i) == value
	}
	if !slices.Contains(g.calibrates, true) || !slices.Contains(g.calibrates, false) {
		return nil, fmt.Errorf("%s: --calibrate %s=%s is true of all rows or of none", g.data.Source, variable, value)
	}
	return g, nil
}

// groupsOf numbers the values of a variable in the order in which they come.
func groupsOf(d *dataset.Data, variable string) (of []int, names []string, err error) {
	v, ok := d.Vars[variable]
	if !ok {
		return nil, nil, suggest.Unknown("variable", variable, slices.Sorted(maps.Keys(d.Vars)))
	}
	if v.Len() != d.N() {
		return nil, nil, fmt.Errorf("variable %s has %d values for %d observations; groups need one value an "+
			"observation", variable, v.Len(), d.N())
	}
	number := map[string]int{}
	of = make([]int, d.N())
	for i := range of {
		name := v.Text(i)
		if _, ok := number[name]; !ok {
			number[name] = len(names)
			names = append(names, name)
		}
		of[i] = number[name]
	}
	return of, names, nil
}

// aligned returns the data with the recordings of the groups carried onto each other.
// What is decided on has no labels there.
func (g *grouped) aligned(ctx context.Context, held int, way string) (*dataset.Data, error) {
	if way == "none" {
		return g.data, nil
	}
	labels := slices.Clone(g.data.Labels)
	for i, of := range g.of {
		if of == held && !g.known[i] {
			labels[i] = -1
		}
	}
	out := *g.data
	out.Stack = new(spd.Stack)
	err := spd.AlignGroups(ctx, out.Stack, g.data.Stack,
		spd.GroupAlignment{Groups: g.of, Recordings: g.recordings, Labels: labels, Classes: len(g.data.Classes),
			Held: held, Scale: way != "center", Rotate: way == "rotate"})
	if rao.IsNotConverged(err) && ctx.Err() == nil {
		err = nil
	}
	return &out, err
}

// meanSD returns the mean and the standard deviation, 0 of one value.
func meanSD(v []float64) (mean, sd number) {
	m, s := 0.0, 0.0
	for _, x := range v {
		m += x / float64(len(v))
	}
	for _, x := range v {
		s += (x - m) * (x - m)
	}
	return number(m), number(math.Sqrt(s / float64(max(1, len(v)-1))))
}

func (r *groupResult) failure(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted; the table has what there is")
	}
	failed := 0
	for _, row := range r.Rows {
		if row.Error != "" {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d rows failed; the reasons are above", failed, len(r.Rows))
	}
	return nil
}
