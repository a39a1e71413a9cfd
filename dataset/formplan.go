package dataset

import (
	"fmt"
	"slices"
	"strings"

	"rao/internal/format/table"
)

// plansOf returns what decides on the columns of a table.
func plansOf(opt *OpenOptions) func(*table.Reader, string, *OpenOptions, []condition) (*columns, error) {
	if opt.Form != nil && opt.Form.Columns != nil {
		return planByForm
	}
	return planColumns
}

// missing is what is done with missing values: as the form says, but rows of which each
// must have its answer are not dropped.
func (o *OpenOptions) missing() Missing {
	m := o.Table.Missing
	if o.Form != nil {
		m = o.Form.Missing
	}
	if m == MissingDrop && !o.RequireLabels {
		return MissingError
	}
	return m
}

// planByForm finds the columns of a form in another table.
func planByForm(t *table.Reader, path string, opt *OpenOptions, conditions []condition) (*columns, error) {
	f := opt.Form
	place := make(map[string]int, len(t.Columns))
	for i := range t.Columns {
		place[columnName(t, i)] = i
	}
	p := &columns{label: -1, id: -1, why: "the table has no column " + f.Label}
	var missing []string
	for k := range f.Columns {
		c := &f.Columns[k]
		i, ok := place[c.Name]
		if !ok {
			missing = append(missing, c.Name)
		}
		p.features = append(p.features, i)
		p.codes = append(p.codes, newCoding(c))
	}
	if missing != nil {
		return nil, fmt.Errorf("%s: no column %s; the model was fitted with %s", path, someOf(missing),
			someOf(f.columnNames()))
	}
	asked := make([][]int, 3)
	for k, names := range [][]string{whereNames(conditions), opt.Table.Variables, opt.Table.dropped()} {
		for _, name := range names {
			i, err := findColumn(t, path, name)
			if err != nil {
				return nil, err
			}
			asked[k] = append(asked[k], i)
		}
	}
	p.where = asked[0]
	for _, i := range slices.Concat(asked[0], asked[1]) {
		if !slices.Contains(p.keep, i) {
			p.keep = append(p.keep, i)
		}
	}
	used := slices.Concat(asked...)
	if i, ok := place[f.ID]; ok && f.ID != "" {
		p.id = i
		p.left = append(p.left, Left{What: "column " + f.ID, Why: "it names the rows"})
	}
	if err := p.labelByForm(t, path, opt, place); err != nil {
		return nil, err
	}
	for i := range t.Columns {
		name := columnName(t, i)
		if i == p.label || name == f.Label || name == f.ID || slices.Contains(p.features, i) || slices.Contains(used,
			i) {
			continue
		}
		if !f.Only && !slices.Contains(f.LeftOut, name) {
			return nil, fmt.Errorf("%s: column %s is not in the training; leave it out with --drop %s", path, name,
				name)
		}
		p.left = append(p.left, Left{What: "column " + name, Why: "as in the training"})
	}
	return p, nil
}

// labelByForm finds the labels: as asked for, or in the column of that name.
func (p *columns) labelByForm(t *table.Reader, path string, opt *OpenOptions, place map[string]int) (err error) {
	switch {
	case opt.LabelColumn == "none":
		p.why = "--label-column none"
	case opt.LabelColumn != "":
		p.why = "--label-column"
		p.label, err = findColumn(t, path, opt.LabelColumn)
	case opt.Labels != "":
		p.why = "in " + opt.Labels
	case opt.Form.Label != "":
		if i, ok := place[opt.Form.Label]; ok {
			p.label, p.why = i, "as in the training"
		}
	}
	if slices.Contains(p.features, p.label) {
		return fmt.Errorf("%s: column %s is a feature of the model and cannot be the label", path, columnName(t,
			p.label))
	}
	return err
}

func whereNames(conditions []condition) []string {
	var names []string
	for _, c := range conditions {
		names = append(names, c.name)
	}
	return names
}

func (f *Form) columnNames() []string {
	names := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		names[i] = c.Name
	}
	return names
}

// someOf lists the first names.
func someOf(names []string) string {
	if n := len(names); n > shownColumns {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shownColumns], ", "), n-shownColumns)
	}
	return strings.Join(names, ", ")
}

// coding is that of a feature, nil for one of numbers.
func (p *columns) coding(k int) *coding {
	if p.codes == nil {
		return nil
	}
	return p.codes[k]
}

// width is the number of values of an observation.
func (p *columns) width() int {
	n := len(p.features)
	for _, c := range p.codes {
		if c != nil {
			n += len(c.column.Values) - 1
		}
	}
	return n
}

// watchUnlessKnown watches for columns that number the rows, where no form says which
// columns are features.
func (r *tableRows) watchUnlessKnown() {
	if r.plan.codes == nil {
		r.watch = watchIdentifiers(r.t, r.plan.features)
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

// lookAt counts the texts of a row that are not known.
func (r *tableRows) lookAt(fields [][]byte) {
	for k, c := range r.plan.codes {
		if c != nil {
			c.look(fields[r.plan.features[k]])
		}
	}
}

// formRemarks says which values were missing or not known.
func (r *tableRows) formRemarks() []string {
	var out []string
	for _, c := range r.plan.codes {
		if c != nil {
			out = append(out, c.remarks()...)
		}
	}
	if r.dropped > 0 {
		out = append(out, fmt.Sprintf("%d rows that lack a value are left out", r.dropped))
	}
	return out
}
