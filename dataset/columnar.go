package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rao/internal/format/table"
)

// Column is a column of a file of [Columns].
type Column struct {
	Name string
	// Width is the number of values of a row that the column gives to an observation: 1,
	// or more for vectors; 0 when its values are no numbers.
	Width  int
	Single bool   // the values are exactly float32
	Text   bool   // the values are text
	Whole  bool   // the values are whole numbers
	Asked  bool   // it is taken only when it is named
	Why    string // why it cannot be read; empty when it can
}

// Columns is an open file of named columns, as Parquet is. [Open] and [Stream] decide
// which column is for what.
type Columns interface {
	Columns() []Column
	Rows() int // -1 when it is not known
	// Read begins to read, from the first row on, the columns of the given numbers: those of
	// numbers in float32 or float64, and those of texts.
	Read(ctx context.Context, numbers, texts []int, single bool) (ColumnReader, error)
	Close() error
}

// ColumnReader reads rows of columns one block after the other.
type ColumnReader interface {
	// Next reads n rows or fewer and returns how many; io.EOF comes with none. x, which
	// has room for n rows, receives the columns of numbers one beside the other, NaN where a
	// value is missing; it is nil when there are none. texts[k] receives column k of the
	// texts: numbers in decimal, and nothing where a value is missing.
	Next(n int, x *Table, texts [][]string) (int, error)
	Close()
}

// columnPlan says what the columns of a file are for.
type columnPlan struct {
	list     []Column
	features []int
	label    int // -1 without
	why      string
	where    []int
	keep     []int // that become variables
	left     []Left
}

// planColumnar decides what each column is for.
func planColumnar(path string, list []Column, opt *OpenOptions, conditions []condition) (*columnPlan, error) {
	p := &columnPlan{list: list, label: -1}
	var err error
	for _, c := range conditions {
		if err = p.find(&p.where, path, c.name); err != nil {
			return nil, err
		}
	}
	p.keep = slices.Clone(p.where)
	for _, name := range opt.Table.Variables {
		if err = p.find(&p.keep, path, name); err != nil {
			return nil, err
		}
	}
	slices.Sort(p.keep)
	p.keep = slices.Compact(p.keep)
	var drop []int
	for _, name := range opt.Table.dropped() {
		if err = p.find(&drop, path, name); err != nil {
			return nil, err
		}
		p.left = append(p.left, Left{What: "column " + list[drop[len(drop)-1]].Name, Why: "--drop"})
	}
	taken := slices.Concat(p.keep, drop)
	if err := p.findLabel(path, opt, taken); err != nil {
		return nil, err
	}
	if p.label >= 0 {
		taken = append(taken, p.label)
	}
	if opt.X != "" {
		return p, p.named(path, opt.X)
	}
	return p, p.rest(path, taken)
}

// find appends the number of the named column to dst.
func (p *columnPlan) find(dst *[]int, path, name string) error {
	i := slices.IndexFunc(p.list, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return fmt.Errorf("%s: no column %q; there are %s", path, name, p.names())
	}
	if p.list[i].Why != "" {
		return fmt.Errorf("%s: column %q cannot be read: %s", path, name, p.list[i].Why)
	}
	*dst = append(*dst, i)
	return nil
}

// names lists the columns for a message.
func (p *columnPlan) names() string {
	var names []string
	for _, c := range p.list {
		if !c.Asked {
			names = append(names, c.Name)
		}
	}
	if len(names) > 20 {
		names = append(names[:20], "…")
	}
	return strings.Join(names, ", ")
}

// findLabel finds the label column: the one that was named, the last of those with a usual
// name, the only one of text, or the last one when it holds whole numbers.
func (p *columnPlan) findLabel(path string, opt *OpenOptions, taken []int) error {
	name := opt.LabelColumn
	switch {
	case name == "none":
		p.why = "--label-column none"
		return nil
	case name != "" && opt.Y != "" && name != opt.Y:
		return fmt.Errorf("%s: --label-column %s and --y %s name two columns; give one", path, name, opt.Y)
	case name != "" || opt.Y != "":
		p.why = "--label-column"
		if name == "" {
			name, p.why = opt.Y, "--y"
		}
		var found []int
		if err := p.find(&found, path, name); err != nil {
			return err
		}
		if p.label = found[0]; p.list[p.label].Width > 1 {
			return fmt.Errorf("%s: column %q holds vectors, and a label is one value", path, name)
		}
		return nil
	case opt.Labels != "":
		p.why = "in " + opt.Labels
		return nil
	}
	last, text, texts := -1, -1, 0
	for i, c := range p.list {
		if slices.Contains(taken, i) || c.Asked || c.Why != "" || c.Width > 1 || slices.Contains(opt.Features, c.Name) {
			continue
		}
		if last = i; table.LabelName(c.Name) {
			p.label, p.why = i, "by its name"
		}
		if c.Text {
			text = i
			texts++
		}
	}
	switch {
	case p.label >= 0:
	case texts == 1:
		p.label, p.why = text, "the only column of text"
	case last == len(p.list)-1 && last > 0 && p.list[last].Whole:
		p.label, p.why = last, "the last column, of whole numbers"
		if !opt.RequireLabels {
			p.why += "; if there are no labels say --label-column none"
		}
	default:
		p.why = "no column has a usual name for labels; name it with --label-column"
	}
	return nil
}

// named takes the columns of --x, separated by commas, for the features.
func (p *columnPlan) named(path, x string) error {
	names := strings.Split(x, ",")
	if slices.ContainsFunc(p.list, func(c Column) bool { return c.Name == x }) {
		names = []string{x}
	}
	for _, name := range names {
		if err := p.find(&p.features, path, strings.TrimSpace(name)); err != nil {
			return err
		}
		switch i := p.features[len(p.features)-1]; {
		case i == p.label:
			return fmt.Errorf("%s: %q is asked for both as observations and as labels", path, name)
		case p.list[i].Width == 0:
			return fmt.Errorf("%s: column %q holds no numbers", path, name)
		}
	}
	return nil
}

// rest takes all columns of numbers that have no other use for the features.
func (p *columnPlan) rest(path string, taken []int) error {
	vectors := 0
	for i, c := range p.list {
		switch {
		case c.Asked || slices.Contains(taken, i):
		case c.Why != "":
			p.left = append(p.left, Left{What: "column " + c.Name, Why: c.Why})
		case c.Width == 0:
			p.left = append(p.left, Left{What: "column " + c.Name, Why: "its values are no numbers"})
		default:
			p.features = append(p.features, i)
			if c.Width > 1 {
				vectors++
			}
		}
	}
	switch {
	case len(p.features) == 0:
		return fmt.Errorf("%s: no column of numbers is left for the observations; there are %s%s",
			path, p.names(), p.hint())
	case vectors > 0 && len(p.features) > 1:
		return fmt.Errorf("%s: columns of vectors beside others (%s); name those that are the observations with --x "+
			"NAME,NAME or leave columns out with --drop", path, strings.Join(p.featureNames(), ", "))
	}
	return nil
}

// hint names the columns that could hold observations if they were asked for.
func (p *columnPlan) hint() string {
	var names []string
	for _, c := range p.list {
		if c.Asked && c.Width > 0 {
			names = append(names, "--x "+c.Name)
		}
	}
	if names == nil {
		return ""
	}
	return "; bytes can be read as floats by " + strings.Join(names, " or ")
}

// featureNames returns a name for each value of an observation; those of one column of
// vectors have none.
func (p *columnPlan) featureNames() []string {
	if len(p.features) == 1 && p.list[p.features[0]].Width > 1 {
		return nil
	}
	var names []string
	for _, i := range p.features {
		c := p.list[i]
		if c.Width == 1 {
			names = append(names, c.Name)
			continue
		}
		for k := range c.Width {
			names = append(names, fmt.Sprintf("%s[%d]", c.Name, k))
		}
	}
	return names
}

// size returns the number of values of an observation, and whether all are float32.
func (p *columnPlan) size() (cols int, single bool) {
	single = true
	for _, i := range p.features {
		cols += p.list[i].Width
		single = single && p.list[i].Single
	}
	return cols, single
}

// reading describes the plan.
func (p *columnPlan) reading(path string) *Reading {
	r := &Reading{Source: path, Columns: p.featureNames(), LabelWhy: p.why, LeftOut: p.left}
	if r.Columns == nil {
		r.Columns = []string{p.list[p.features[0]].Name}
	}
	if p.label >= 0 {
		r.Label = p.list[p.label].Name
	}
	return r
}
