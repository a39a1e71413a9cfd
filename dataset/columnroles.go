package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/internal/format/table"
	"rao/internal/recipes"
	"rao/internal/suggest"
	"rao/internal/text"
)

// columns are the columns of a file with their roles.
type columns struct {
	path  string
	list  []Column
	named bool // the columns have names; otherwise they are identified by number
	typed bool // the file declares the types of its columns; for a table they are from its first row

	label    int // -1 if there is none
	id       int // column that names the rows, if the form has one; otherwise -1
	why      error
	features []int
	codes    []*coding // codings of the features, nil for numeric ones; nil if all are numeric
	lacks    *Lacks    // counts of missing and unknown texts in the rows read, or in the current block
	where    []int     // columns named in conditions, in the order of the conditions
	keep     []int     // columns that become variables: where, and requested ones
	left     []Left
	without  map[int]error // features that were left out, with the reason
	assumed  bool          // the label column was not named: it is simply the last column
	guessed  bool          // no option and no model named the label column
	texts    []string      // text columns that may be features: their names, or "auto" for all
}

// decide finds the label column, the columns of conditions, the columns that become variables, and the features: the
// columns of the form if there is one, otherwise all others.
func (p *columns) decide(opt *OpenOptions, conditions []condition) (err error) {
	p.label, p.id = -1, -1
	for _, c := range conditions {
		if p.where, err = p.find(p.where, c.name); err != nil {
			return err
		}
	}
	used := slices.Clone(p.where)
	for _, name := range opt.variables() {
		if used, err = p.find(used, name); err != nil {
			return err
		}
	}
	for _, i := range used {
		if !slices.Contains(p.keep, i) {
			p.keep = append(p.keep, i)
		}
	}
	var drop []int
	for _, name := range opt.Table.dropped() {
		i, err := p.indexOf(name) // also a column that cannot be read
		if err != nil {
			return err
		}
		drop = append(drop, i)
	}
	if opt.Form != nil && opt.Form.Columns != nil {
		return p.byForm(opt, slices.Concat(used, drop))
	}
	return p.byUse(opt, drop)
}

// byUse finds the label and uses all columns without another role as features.
func (p *columns) byUse(opt *OpenOptions, drop []int) (err error) {
	p.texts = opt.Table.Categories
	var assigned []int
	for _, i := range p.keep { // a model may learn from a column that is also a variable
		if !slices.Contains(opt.Features, p.name(i)) {
			assigned = append(assigned, i)
		}
	}
	assigned = append(assigned, drop...)
	var only []int
	for _, name := range opt.Table.Keep {
		if only, err = p.find(only, name); err != nil {
			return err
		}
	}
	if opt.Table.ID != "" {
		if assigned, err = p.find(assigned, opt.Table.ID); err != nil {
			return err
		}
		p.leave(assigned[len(assigned)-1], byOption("id-column"))
	}
	for _, i := range drop {
		p.leave(i, byOption("drop"))
	}
	if err := p.findLabel(opt, assigned); err != nil {
		return err
	}
	if p.typed && opt.X != "" {
		return p.observations(opt.X)
	}
	if p.label >= 0 {
		assigned = append(assigned, p.label)
	}
	if err := p.rest(assigned, only); err != nil {
		return err
	}
	if only != nil && len(p.features) < len(p.list) {
		p.left = append(p.left, Left{What: "columns without names", Why: byOption("keep")})
	}
	return nil
}

// keptNames returns the names of the columns that become variables.
func (p *columns) keptNames() []string {
	names := make([]string, len(p.keep))
	for k, c := range p.keep {
		names[k] = p.name(c)
	}
	return names
}

func (p *columns) leave(column int, why error) {
	p.left = append(p.left, Left{What: "column " + p.name(column), Why: why})
}

// name returns the name of a column, or its number if it has none.
func (p *columns) name(column int) string {
	if name := p.list[column].Name; name != "" {
		return name
	}
	return fmt.Sprint(column)
}

// described returns a column for error messages, such as column "age", or column 3 (it has no name).
func (p *columns) described(column int) string {
	if name := p.list[column].Name; name != "" {
		return fmt.Sprintf("column %q", name)
	}
	return fmt.Sprintf("column %d (it has no name)", column)
}

// find appends to dst the column with a name or a number, which must be readable.
func (p *columns) find(dst []int, name string) ([]int, error) {
	i, err := p.indexOf(name)
	switch {
	case err != nil:
		return nil, err
	case p.list[i].Why != "":
		return nil, fmt.Errorf("%s: column %q cannot be read: %s", p.path, name, p.list[i].Why)
	}
	return append(dst, i), nil
}

// indexOf returns the column with a name or, in a table, with a number from 0 (negative: from the end).
func (p *columns) indexOf(name string) (int, error) {
	i := -1
	if p.named {
		i = slices.IndexFunc(p.list, func(c Column) bool { return c.Name == name })
	}
	if number, err := strconv.Atoi(name); i < 0 && !p.typed && err == nil {
		if i = number; i < 0 {
			i += len(p.list)
		}
		if i < 0 || i >= len(p.list) {
			return 0, fmt.Errorf("%s: the table has no column %s; it has %s, numbered from 0", p.path, name,
				text.Plural(len(p.list), "column", "columns"))
		}
	}
	switch {
	case i < 0 && !p.named:
		return 0, rao.Optionf("header", "%s: the table has no column %q, because it has no line of column names; "+
			"give the number of the column, counted from 0, or set {header=yes}", p.path, name)
	case i < 0:
		names := p.shown()
		if near := suggest.Nearest(name, names); len(name) > 2 && len(near) > 0 {
			return 0, fmt.Errorf("%s: the table has no column %q; did you mean %s?", p.path, name, suggest.Or(near))
		}
		return 0, fmt.Errorf("%s: the table has no column %q; it has %s",
			p.path, name, strings.Join(first(names, 20), ", "))
	}
	return i, nil
}

// shown returns the names of the columns for an error message.
func (p *columns) shown() []string {
	var names []string
	for i, c := range p.list {
		if !c.OnRequest {
			names = append(names, p.name(i))
		}
	}
	return names
}

// first returns the first n names, followed by "…" if there are more.
func first(names []string, n int) []string {
	if len(names) > n {
		return append(slices.Clone(names[:n]), "…")
	}
	return names
}

// findLabel finds the label column and the reason for the choice: the named column, the last column with a usual name,
// or the most likely one. Columns in assigned have another role, and the columns of opt.Features are observations.
func (p *columns) findLabel(opt *OpenOptions, assigned []int) error {
	switch {
	case opt.Y == noLabels:
		p.why = byOption("y=none")
		return nil
	case opt.Y != "":
		return p.labelNamed(opt.Y)
	case opt.Labels != "":
		p.why = because("in " + opt.Labels)
		return nil
	}
	last, text, texts, free := -1, -1, 0, 0
	for i, c := range p.list {
		if slices.Contains(assigned, i) {
			continue
		}
		free++
		if c.OnRequest || c.Why != "" || c.Width > 1 || p.named && slices.Contains(opt.Features, c.Name) {
			continue
		}
		last = i
		if p.named && table.LabelName(c.Name) {
			p.label, p.why = i, because("by its name")
		}
		if c.Text {
			text = i
			texts++
		}
	}
	if texts != 1 {
		text = -1
	}
	if p.label < 0 && opt.RequireLabels {
		if err := p.labelInUse(opt); err != nil {
			return err
		}
	}
	if p.label < 0 && last >= 0 && (p.typed || free > 1) {
		p.guessLabel(last, text, opt)
	}
	p.guessed = p.label >= 0
	if p.typed && p.label < 0 {
		p.why = reasonf("no column has a usual name for labels; name the column of labels with {y}")
	}
	return nil
}

// labelInUse returns an error if a requested variable has a usual name for labels.
func (p *columns) labelInUse(opt *OpenOptions) error {
	for _, name := range opt.Table.Variables {
		if i, err := p.indexOf(name); err == nil && p.named && table.LabelName(p.list[i].Name) {
			return rao.Optionf("y", "%s: %s is the label, so it cannot also define the groups; choose "+
				"another column for the groups, or name the label column with {y}", p.path, p.described(i))
		}
	}
	return nil
}

// guessLabel uses the only text column as the labels, or else the last column. In files that declare types, it uses
// the last column only if it has integers.
func (p *columns) guessLabel(last, text int, opt *OpenOptions) {
	switch {
	case text >= 0 && (p.typed || text != last):
		p.label, p.why = text, because("the only text column")
		return
	case !p.typed:
		p.label, p.why, p.assumed = last, because("the last column"), true
	case last == len(p.list)-1 && last > 0 && p.list[last].Integer:
		p.label, p.why = last, because("the last column, of whole numbers")
	default:
		return
	}
	if !opt.RequireLabels {
		p.why = reasonf("%w; if the table has no labels, set {y=none}", p.why)
	}
}

// labelNamed uses the column named by an option as the label.
func (p *columns) labelNamed(name string) error {
	found, err := p.find(nil, name)
	if err != nil {
		return err
	}
	if p.label, p.why = found[0], byOption("y"); p.list[p.label].Width > 1 {
		return fmt.Errorf("%s: column %q has vectors, but a label is a single value; name another column", p.path, name)
	}
	return nil
}

// observations uses the column OpenOptions.X, whose values are vectors or bytes, as the features.
func (p *columns) observations(x string) (err error) {
	i := slices.IndexFunc(p.list, func(c Column) bool { return c.Name == x })
	if i < 0 && strings.Contains(x, ",") || i >= 0 && p.list[i].Width <= 1 && !p.list[i].OnRequest {
		return onlyVectors(p.path)
	}
	p.features, err = p.find(p.features, x)
	return err
}

// onlyVectors returns the error for columns of single values that OpenOptions.X names.
func onlyVectors(path string) error {
	return rao.Optionf("x", "%s: {x} names an array or one column of vectors; name columns of single values with "+
		"{keep}, or leave others out with {drop}", path)
}

// rest uses numeric columns without another role as features: all, or only the columns in only.
func (p *columns) rest(assigned, only []int) error {
	vectors := 0
	for i, c := range p.list {
		switch {
		case slices.Contains(assigned, i) || !slices.Contains(only, i) && (only != nil || c.OnRequest):
		case c.Why != "":
			p.leave(i, because(c.Why))
		case c.Width == 0 && !p.category(i):
			p.leave(i, p.noNumbers(i))
		default:
			p.features = append(p.features, i)
			if c.Width > 1 {
				vectors++
			}
		}
	}
	switch {
	case len(p.features) == 0 && p.typed:
		return rao.Optionf("x", "%s: no column of numbers is left for the observations; the columns are %s%w",
			p.path, strings.Join(first(p.shown(), 20), ", "), p.hint())
	case len(p.features) == 0:
		return fmt.Errorf("%s: no column is left for the observations; use fewer columns for other purposes", p.path)
	case vectors > 0 && len(p.features) > 1:
		return rao.Optionf("x", "%s: the table has columns of vectors and columns of single numbers (%s); name a "+
			"column of vectors with {x}, or leave columns out with {drop}", p.path, strings.Join(p.names(), ", "))
	}
	return nil
}

// noNumbers returns the reason why a text column is left out.
func (p *columns) noNumbers(i int) error {
	if p.list[i].Date {
		return reasonf("it contains dates; {categories=auto} reads them as days since 1970")
	}
	return because("its values are not numbers")
}

// category reports whether a text column becomes a feature.
func (p *columns) category(i int) bool {
	c := &p.list[i]
	return (c.Text || c.Date) && (slices.Contains(p.texts, "auto") || slices.Contains(p.texts, c.Name))
}

// hint lists the columns that could be used as observations if requested.
func (p *columns) hint() error {
	var names []string
	for _, c := range p.list {
		if c.OnRequest && c.Width > 0 {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return because("")
	}
	return reasonf("; {x=NAME} reads bytes as floating-point numbers, where NAME is %s", suggest.Or(names))
}

// withoutColumns removes columns, by index, from the features, and lists each with its reason.
func (p *columns) withoutColumns(out map[int]error) {
	p.without = out
	p.features = slices.DeleteFunc(p.features, func(c int) bool {
		why, ok := out[c]
		if ok {
			p.left = append(p.left, Left{What: fmt.Sprintf("column %d", c), Why: why})
		}
		return ok
	})
}

// vectors reports whether the observations are a single column of vectors. Their values have no names.
func (p *columns) vectors() bool { return len(p.features) == 1 && p.list[p.features[0]].Width > 1 }

// names returns a name for each value of an observation, or the name of the column for vectors.
func (p *columns) names() []string {
	if p.vectors() {
		return []string{p.name(p.features[0])}
	}
	var names []string
	for k, i := range p.features {
		if c := p.coding(k); c != nil {
			column := *c.column
			column.Name = p.name(i)
			names = append(names, recipes.ValueNames(column)...)
			continue
		}
		if p.list[i].Width == 1 {
			names = append(names, p.name(i))
			continue
		}
		for v := range p.list[i].Width {
			names = append(names, fmt.Sprintf("%s[%d]", p.name(i), v))
		}
	}
	return names
}

// featureNames returns names if the file has one for each value, and nil otherwise.
func (p *columns) featureNames() []string {
	if !p.named || p.vectors() {
		return nil
	}
	return p.names()
}

// coding returns the coding of a feature, or nil if it is numeric.
func (p *columns) coding(k int) *coding {
	if p.codes == nil {
		return nil
	}
	return p.codes[k]
}

// size returns the number of values of an observation, and whether all are float32.
func (p *columns) size() (cols int, single bool) {
	single = true
	for k, i := range p.features {
		width := p.list[i].Width
		if c := p.coding(k); c != nil {
			width = recipes.Width(c.column)
		}
		cols += width
		single = single && p.list[i].Single
	}
	return cols, single
}

// reading returns the report of the label and the columns that the plan selects and leaves out.
func (p *columns) reading() *Reading {
	r := &Reading{Source: p.path, Columns: p.names(), LabelWhy: p.why, LeftOut: slices.Clone(p.left)}
	if p.label >= 0 {
		r.Label = p.name(p.label)
	}
	return r
}
