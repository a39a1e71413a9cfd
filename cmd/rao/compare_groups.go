package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/suggest"
	"rao/method"
	"rao/model"
	"rao/spd"
)

// groupFlags say how compare leaves out groups.
type groupFlags struct {
	groups, recordings, calibrate, align string
}

// groupScore is what a method does on one group that was left out.
type groupScore struct {
	Group    string `json:"group"`
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
}

type groupResult struct {
	Train  string      `json:"train"`
	Groups string      `json:"groups"`
	Rows   []*groupRow `json:"rows"`
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
	if g.data.Stack == nil && !slices.Equal(ways, []string{"none"}) {
		return usagef("--align is for matrices; %s holds vectors", g.data.Source)
	}
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
	if err := a.emit(res, func() { a.printGroups(res) }); err != nil {
		return err
	}
	return res.failure(ctx)
}

// openGroups reads the data; groups named source are the sets that --train lists.
func (a *app) openGroups(ctx context.Context, train *dataFlags, f *groupFlags, variable,
	value string) (*grouped, error) {
	train.opt.Table.Variables = slices.DeleteFunc([]string{f.groups, f.recordings, variable}, func(s string) bool {
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
	if g.of, g.names, err = groupsOf(g.data, f.groups); err != nil {
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

// compareGroup leaves out every group for one method and way.
func (a *app) compareGroup(ctx context.Context, g *grouped, m *method.Method, way string,
	set method.Settings) *groupRow {
	row := &groupRow{Method: m.Name, Align: way}
	start := time.Now()
	show, done := a.progress(fmt.Sprintf("%s, %s", m.Name, way))
	defer done()
	var accuracy, kappa []float64
	for held, name := range g.names {
		s, err := g.score(ctx, held, m, way, set)
		if err != nil {
			row.Error = fmt.Sprintf("group %s: %v", name, err)
			return row
		}
		rows := 0
		for _, line := range s.Confusion {
			for _, n := range line {
				rows += n
			}
		}
		row.Groups = append(row.Groups, groupScore{name, rows, number(s.Accuracy), number(s.Kappa)})
		accuracy, kappa = append(accuracy, s.Accuracy), append(kappa, s.Kappa)
		show.Send(rao.Event{Stage: "groups", Done: held + 1, Total: len(g.names)})
	}
	row.Accuracy, row.AccuracySD = meanSD(accuracy)
	row.Kappa, row.KappaSD = meanSD(kappa)
	row.Seconds = time.Since(start).Seconds()
	return row
}

// score learns from the other groups and decides on the one held.
func (g *grouped) score(ctx context.Context, held int, m *method.Method, way string,
	set method.Settings) (*evaluate.Scores, error) {
	d, err := g.aligned(ctx, held, way)
	if err != nil {
		return nil, err
	}
	var train, test []int
	for i, of := range g.of {
		switch {
		case of != held:
			train = append(train, i)
		case !g.calibrates[i]:
			test = append(test, i)
		}
	}
	if len(test) == 0 {
		return nil, fmt.Errorf("all its observations calibrate, none is left to decide on")
	}
	mod, err := m.Fit(ctx, method.Source{Data: d.Subset(train)}, m.Only(set), nil)
	if err != nil && (!rao.IsNotConverged(err) || ctx.Err() != nil) {
		return nil, err
	}
	return method.Score(ctx, mod, d.Subset(test))
}

// aligned returns the data with the recordings of the groups carried onto each other.
// What is decided on has no labels there.
func (g *grouped) aligned(ctx context.Context, held int, way string) (*dataset.Data, error) {
	if way == "none" {
		return g.data, nil
	}
	labels := slices.Clone(g.data.Labels)
	for i, of := range g.of {
		if of == held && !g.calibrates[i] {
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

func (a *app) printGroups(r *groupResult) {
	header := []string{"method", "align", "accuracy", "± SD", "kappa", "± SD"}
	for _, row := range r.Rows {
		if row.Error == "" {
			for _, s := range row.Groups {
				header = append(header, s.Group)
			}
			break
		}
	}
	rows := make([][]string, len(r.Rows))
	for i, row := range r.Rows {
		if row.Error != "" {
			rows[i] = []string{row.Method, row.Align, "failed"}
			continue
		}
		rows[i] = []string{row.Method, row.Align, percent(float64(row.Accuracy)),
			fmt.Sprintf("%.2f", 100*float64(row.AccuracySD)),
			fmt.Sprintf("%.3f", float64(row.Kappa)), fmt.Sprintf("%.3f", float64(row.KappaSD))}
		for _, s := range row.Groups {
			rows[i] = append(rows[i], fmt.Sprintf("%.3f", float64(s.Kappa)))
		}
	}
	a.table(header, rows)
	a.note("under the names of the groups is kappa; learned from all others")
}
