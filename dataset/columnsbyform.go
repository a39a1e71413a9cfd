package dataset

import (
	"fmt"
	"slices"

	"rao"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/internal/suggest"
	"rao/internal/text"
	"rao/recipe"
)

// missing returns how missing values are handled: as in the form, except that rows are not dropped if each needs a
// prediction.
func (o *OpenOptions) missing() recipe.Missing {
	m := o.Table.Missing
	if o.Form != nil {
		m = o.Form.Missing
	}
	if m == optionvalues.MissingDrop && !o.RequireLabels {
		return optionvalues.MissingError
	}
	return m
}

// byForm finds the columns of a form in another table. used are the columns that options name.
func (p *columns) byForm(opt *OpenOptions, used []int) error {
	f := opt.Form
	place := make(map[string]int, len(p.list))
	for i := range p.list {
		place[p.name(i)] = i
	}
	p.why, p.lacks = because("the table has no column "+f.Label), &Lacks{}
	p.lacks.begin(len(f.Columns))
	var missing []string
	for k := range f.Columns {
		c := &f.Columns[k]
		i, ok := place[c.Name]
		if !ok {
			missing = append(missing, c.Name)
		} else if err := p.suits(i, c); err != nil {
			return err
		}
		p.features = append(p.features, i)
		p.codes = append(p.codes, nil)
		if recipes.Texts(c) {
			p.codes[k] = &coding{plan: p, column: c, feature: k, codes: map[string]int{}}
		}
	}
	if missing != nil {
		columns := "columns"
		if len(missing) == 1 {
			columns = "column"
		}
		return fmt.Errorf("%s: the table has no %s %s; the model needs the columns %s", p.path, columns,
			suggest.Some(missing, shownColumns), suggest.Some(columnNames(f), shownColumns))
	}
	if i, ok := place[f.ID]; ok && f.ID != "" {
		p.id = i
		p.leave(i, because("it names the rows"))
	}
	if err := p.labelByForm(opt, place); err != nil {
		return err
	}
	for i := range p.list {
		name := p.name(i)
		if i == p.label || name == f.Label || name == f.ID || slices.Contains(p.features, i) ||
			slices.Contains(used, i) || p.list[i].OnRequest {
			continue
		}
		if !f.Only && !slices.Contains(f.LeftOut, name) {
			return rao.Optionf("drop", "%s: column %s is not in the training data; leave it out with {drop=%s}", p.path,
				name, name)
		}
		why := because("as in the training data")
		if p.typed && p.list[i].Width == 0 {
			why = because("its values are not numbers")
		}
		if opt.Table.Keep != nil {
			why = byOption("keep")
		}
		if reason, ok := opt.leftOut[name]; ok {
			p.leave(i, reason)
			continue
		}
		p.leave(i, why)
	}
	return nil
}

// suits returns an error unless column i can be the column c of a form.
func (p *columns) suits(i int, c *recipe.Column) error {
	switch found := p.list[i]; {
	case found.Why != "":
		return fmt.Errorf("%s: column %q cannot be read: %s", p.path, c.Name, found.Why)
	case found.Width > 1:
		return fmt.Errorf("%s: column %q has vectors, but the model needs a single value per row; give the column "+
			"as in the training data", p.path, c.Name)
	case found.Width > 0 && c.Date && p.typed:
		return fmt.Errorf("%s: column %q has numbers, but the model needs dates; give the column as in the training "+
			"data", p.path, c.Name)
	case found.Width == 0 && !recipes.Texts(c):
		return fmt.Errorf("%s: column %q has no numbers, but the model needs numbers; give the column as in the "+
			"training data", p.path, c.Name)
	}
	return nil
}

// labelByForm finds the labels: as requested, or in the column with the label's name.
func (p *columns) labelByForm(opt *OpenOptions, place map[string]int) (err error) {
	switch {
	case opt.Y == noLabels:
		p.why = byOption("y=none")
	case opt.Y != "":
		err = p.labelNamed(opt.Y)
	case opt.Labels != "":
		p.why = because("in " + opt.Labels)
	case opt.Form.Label != "":
		if i, ok := place[opt.Form.Label]; ok {
			if p.label, p.why = i, opt.labelWhy; p.why == nil {
				p.why = because("as in the training data")
			}
		}
	}
	if err == nil && slices.Contains(p.features, p.label) {
		return fmt.Errorf("%s: column %s is a feature of the model, so it cannot be the label; choose another column",
			p.path, p.name(p.label))
	}
	return err
}

func columnNames(f *recipe.Encoding) []string {
	names := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		names[i] = c.Name
	}
	return names
}

// watchUnlessKnown starts watching for columns that number the rows, unless a form defines the features.
func (r *tableRows) watchUnlessKnown() {
	if r.plan.codes == nil {
		r.watch = watchIdentifiers(r.plan, slices.Clone(r.plan.features), r.t.Header)
	}
}

// lacks reports whether a row has no value for a feature.
func (r *tableRows) lacks(fields [][]byte) bool {
	for _, j := range r.plan.features {
		if isMissing(fields[j]) {
			return true
		}
	}
	return false
}

func (r *tableRows) lookAt(fields [][]byte) {
	for k, c := range r.plan.codes {
		if c != nil && !c.column.Date {
			c.code(fields[r.plan.features[k]])
		}
	}
}

// formRemarks reports missing and unknown values. dropped is the number of rows left out because of them.
func (p *columns) formRemarks(dropped int) []error {
	var out []error
	for _, c := range p.codes {
		if c != nil {
			out = append(out, c.remarks()...)
		}
	}
	if dropped > 0 {
		out = append(out, reasonf("%s left out",
			text.Plural(dropped, "row with missing values is", "rows with missing values are")))
	}
	return out
}

// count counts the texts of the rows of the block from now on, if the file has codings.
func (b *rowBlock) count(p *columns) {
	if p.codes == nil || b.x == nil {
		return
	}
	if b.lacks == nil {
		b.lacks = &Lacks{}
		b.lacks.begin(len(p.codes))
	}
	p.lacks = b.lacks
}
