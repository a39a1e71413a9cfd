package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rao/internal/format/table"
	"rao/internal/suggest"
)

// columns says what the columns of a table are for.
type columns struct {
	label    int // -1 without
	id       int // column that names the rows, where a form says so; else -1
	why      string
	features []int
	codes    []*coding // of the features, nil for numbers; nil where all are
	where    []int     // columns named in conditions, in their order
	keep     []int     // columns that become variables: where, and those asked for
	left     []Left
	hidden   []int          // columns that are nothing of the above
	without  map[int]string // features that were taken out, with the reason
	assumed  bool           // the label column was not named: it is merely the last
}

// planColumns finds the label column, the columns of conditions, those that become
// variables, and the features, which are the rest.
func planColumns(t *table.Reader, path string, opt *OpenOptions, conditions []condition) (*columns, error) {
	p := &columns{label: -1, id: -1}
	find := func(names []string) ([]int, error) {
		var list []int
		for _, name := range names {
			i, err := findColumn(t, path, name)
			if err != nil {
				return nil, err
			}
			list = append(list, i)
		}
		return list, nil
	}
	var names []string
	for _, c := range conditions {
		names = append(names, c.name)
	}
	var err error
	if p.where, err = find(names); err != nil {
		return nil, err
	}
	variables, err := find(opt.Table.Variables)
	if err != nil {
		return nil, err
	}
	drop, err := find(opt.Table.dropped())
	if err != nil {
		return nil, err
	}
	for _, c := range slices.Concat(p.where, variables) {
		if !slices.Contains(p.keep, c) {
			p.keep = append(p.keep, c)
		}
	}
	only, err := find(opt.Table.Keep)
	if err != nil {
		return nil, err
	}
	if opt.Table.ID != "" {
		id, err := findColumn(t, path, opt.Table.ID)
		if err != nil {
			return nil, err
		}
		p.left = append(p.left, Left{What: "column " + columnName(t, id), Why: "--id-column"})
		p.hidden = append(p.hidden, id)
	}
	for _, c := range drop {
		p.left = append(p.left, Left{What: "column " + columnName(t, c), Why: "--drop"})
	}
	if err := p.findLabel(t, path, opt, slices.Concat(p.keep, drop, p.hidden)); err != nil {
		return nil, err
	}
	for i := range t.Columns {
		if i != p.label && !slices.Contains(p.keep, i) && !slices.Contains(drop, i) &&
			!slices.Contains(p.hidden, i) && (only == nil || slices.Contains(only, i)) {
			p.features = append(p.features, i)
		}
	}
	if n := len(t.Columns) - len(p.features); only != nil && n > 0 {
		p.left = append(p.left, Left{What: "columns that are not named", Why: "--keep"})
	}
	if len(p.features) == 0 {
		return nil, fmt.Errorf("%s: no column is left for the observations", path)
	}
	return p, nil
}

// findLabel finds the label column and the reason: the one that was named, the last of
// those with a usual name, the only column of text, the last. Columns in taken have
// another use, and those of opt.Features are observations.
func (p *columns) findLabel(t *table.Reader, path string, opt *OpenOptions, taken []int) (err error) {
	switch {
	case opt.LabelColumn == "none":
		p.why = "--label-column none"
		return nil
	case opt.LabelColumn != "":
		p.why = "--label-column"
		p.label, err = findColumn(t, path, opt.LabelColumn)
		return err
	case opt.Labels != "":
		p.why = "in " + opt.Labels
		return nil
	}
	last, text := -1, -1
	texts := 0
	for i, name := range t.Columns {
		if slices.Contains(taken, i) || t.Header && slices.Contains(opt.Features, name) {
			continue
		}
		last = i
		if t.Header && table.LabelName(name) {
			p.label, p.why = i, "by its name"
		}
		if t.Text[i] {
			text = i
			texts++
		}
	}
	switch {
	case len(t.Columns)-len(taken) < 2 || p.label >= 0 || last < 0:
	case texts == 1 && text != last:
		p.label, p.why = text, "the only column of text"
	default:
		p.label, p.why, p.assumed = last, "the last column", true
		if !opt.RequireLabels {
			p.why += "; if there are no labels say --label-column none"
		}
	}
	return nil
}

// withoutColumns takes columns out of the features.
func (p *columns) withoutColumns(t *table.Reader, out map[int]string) {
	p.without = out
	p.features = slices.DeleteFunc(p.features, func(c int) bool {
		why, ok := out[c]
		if ok {
			p.left = append(p.left, Left{What: fmt.Sprintf("column %d", c), Why: why})
		}
		return ok
	})
}

// names returns the names of the features.
func (p *columns) names(t *table.Reader) []string {
	var out []string
	for k, i := range p.features {
		if c := p.coding(k); c != nil {
			out = c.column.appendNames(out, columnName(t, i))
			continue
		}
		out = append(out, columnName(t, i))
	}
	return out
}

// reading describes the plan.
func (p *columns) reading(path string, t *table.Reader, opt *OpenOptions) *Reading {
	r := &Reading{Source: path, Columns: p.names(t), Table: layoutOf(t, &opt.Table), LabelWhy: p.why,
		LeftOut: slices.Clone(p.left)}
	if p.label >= 0 {
		r.Label = columnName(t, p.label)
	}
	return r
}

// findColumn finds a column by name, or by number from 0, negative from the end.
func findColumn(t *table.Reader, path, name string) (int, error) {
	if i := slices.Index(t.Columns, name); i >= 0 && t.Header {
		return i, nil
	}
	if i, err := strconv.Atoi(name); err == nil {
		if i < 0 {
			i += len(t.Columns)
		}
		if i >= 0 && i < len(t.Columns) {
			return i, nil
		}
		return 0, fmt.Errorf("%s: no column %s: there are %d, counted from 0", path, name, len(t.Columns))
	}
	if !t.Header {
		return 0, fmt.Errorf("%s: no column %q: the table has no line of column names; give a number from 0, or "+
			"--header yes", path, name)
	}
	shown := t.Columns
	if len(shown) > 20 {
		shown = append(slices.Clone(shown[:20]), "…")
	}
	if near := suggest.Nearest(name, t.Columns); len(name) > 2 && len(near) > 0 {
		return 0, fmt.Errorf("%s: no column %q; did you mean %s?", path, name, strings.Join(near, " or "))
	}
	return 0, fmt.Errorf("%s: no column %q; there are %s", path, name, strings.Join(shown, ", "))
}
