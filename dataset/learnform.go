package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"rao"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/recipe"
)

// meansRule selects the columns whose means learnFormAndMeans computes.
type meansRule int

const (
	noMeans meansRule = iota
	allMeans
	meansToFill // only of columns that may have missing values; the means of the others are NaN
)

// errIncomplete is the error for a missing value in a column of numbers that a file or the first of several files
// declares complete.
var errIncomplete = errors.New("a value is missing in a column that is declared complete")

// learnFormAndMeans finds the form of the tables in a first pass over them, and sets it in opt. Other files have no
// form; for them, options for tables are an error. It returns the means of the non-missing values of the columns that
// the rule selects. For files that are not columnar, the means are nil.
func learnFormAndMeans(ctx context.Context, spec string, opt *OpenOptions, rule meansRule) ([]float64, error) {
	l, files, err := newFormLearner(ctx, spec, opt, rule)
	if l == nil || err != nil {
		return nil, err
	}
	err = l.readAll(ctx, files, true)
	if err == errIncomplete {
		return learnFormAndMeans(ctx, spec, opt, allMeans)
	}
	if err != nil {
		return nil, err
	}
	if opt.Form, err = l.finishForm(spec); err != nil {
		return nil, err
	}
	opt.leftOut, opt.seen, opt.remarks, opt.labelWhy = l.why, l.opt.seen, l.remarks, l.labelWhy
	if len(files) == 1 {
		opt.rows = l.rows
	}
	if l.rule == noMeans {
		return nil, nil
	}
	return l.fill()
}

// newFormLearner returns a learner for the files of spec, or nil if they are not tables.
func newFormLearner(ctx context.Context, spec string, opt *OpenOptions, rule meansRule) (*formLearner, []string,
	error) {
	files, err := filesOf(spec)
	if err != nil {
		return nil, nil, err
	}
	known, err := lookup(spec)
	if err != nil {
		return nil, nil, err
	}
	tables, columnar := false, false
	if known == nil {
		f, err := formatOf(files[0])
		if err != nil {
			return nil, nil, err
		}
		tables, columnar = f.text, f.columnar
	}
	if columnar {
		if tables, err = singleColumns(ctx, files[0], opt); err != nil {
			return nil, nil, err
		}
	}
	if !tables {
		if err := notTable(spec, opt); err != nil {
			return nil, nil, err
		}
		if t := &opt.Table; t.Categories != nil || t.Keep != nil || t.ID != "" {
			return nil, nil, rao.Optionf("categories", "%s: {categories}, {keep} and {id-column} work only with "+
				"columns of single values; name an array or a column of vectors with {x}", spec)
		}
		return nil, nil, nil
	}
	if !columnar {
		rule = noMeans
	}
	l := &formLearner{opt: *opt, columnar: columnar, rule: rule,
		sums: columnar && recipes.Fills(opt.Table.Missing),
		form: &recipe.Encoding{Missing: opt.Table.Missing, ID: opt.Table.ID, Only: opt.Table.Keep != nil}}
	l.opt.Table.Missing, l.opt.noIDs, l.opt.seen = "", true, map[string]*survey{}
	return l, files, nil
}

// readAll reads the files. If first is set, the first file determines the columns. Columnar files declare the types of
// their columns, so columnFile reads only texts, in blocks, and sums numbers in parallel. The types of a table of text
// appear only in its fields, so file reads every row.
func (l *formLearner) readAll(ctx context.Context, files []string, first bool) error {
	read := l.file
	if l.columnar {
		read = l.columnFile
	}
	for i, file := range files {
		if err := read(ctx, file, first && i == 0); err != nil {
			return err
		}
	}
	return nil
}

// formLearner collects information about the content of tables.
type formLearner struct {
	opt      OpenOptions
	form     *recipe.Encoding
	columns  []*textColumn // columns that become features
	at       map[string]int
	rows     int
	columnar bool             // the files are columnar
	rule     meansRule        // the requested means
	sums     bool             // sum up numbers, and count texts and missing values
	why      map[string]error // reasons for columns left out because of their content
	remarks  []error          // remarks on columns that may name the rows
	labelWhy error            // why the label column was chosen
	settled  *OpenOptions     // receives the form of the first file; may be nil
}

// file reads one table; the first table determines the columns.
func (l *formLearner) file(ctx context.Context, path string, first bool) error {
	rows, err := openTable(path, &l.opt)
	if err != nil {
		return err
	}
	defer rows.close()
	rows.full = true
	if first && l.settled != nil {
		l.settled.Header, l.settled.Table.Delimiter = &rows.t.Header, rows.t.Comma
	}
	columns, err := l.begin(rows.plan, path, first)
	if err != nil {
		return err
	}
	rows.watch = watchIdentifiers(rows.plan, slices.Clone(rows.plan.features), rows.t.Header)
	auto := slices.Contains(l.opt.Table.Categories, "auto")
	var labels distinct
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		fields, keep, err := rows.next(nil)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if !keep {
			continue
		}
		l.rows++
		labels.add(rows.label)
		for k, c := range rows.plan.features {
			column := columns[k]
			if !column.decided && !isMissing(fields[c]) {
				_, number := rows.t.Float(fields[c])
				if err := column.decide(auto && !number, string(fields[c])); err != nil {
					return fmt.Errorf("%s: line %d, %w", path, rows.t.Line(), err)
				}
			}
			if err := column.addField(fields[c]); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if first {
		out, remarks := rows.watch.judge(l.opt.Table.Drop != nil)
		l.finishFirst(rows.plan, out, labels.names)
		l.remarks = append(remarks, l.namesOfRows()...)
	}
	return nil
}

// singleColumns reports whether the observations of a file of columns are columns of single values.
func singleColumns(ctx context.Context, path string, opt *OpenOptions) (bool, error) {
	src, err := openRows(ctx, path, opt)
	if err != nil {
		return false, err
	}
	defer src.close()
	plan := src.(*columnSource).plan
	return !slices.ContainsFunc(plan.features, func(c int) bool { return plan.list[c].Width > 1 }), nil
}

// columnFile reads the texts of one columnar file; the first file determines the columns.
func (l *formLearner) columnFile(ctx context.Context, path string, first bool) error {
	src, err := openRows(ctx, path, &l.opt)
	if err != nil {
		return err
	}
	defer src.close()
	c := src.(*columnSource)
	columns, err := l.begin(c.plan, path, first)
	if err != nil {
		return err
	}
	for k, column := range columns {
		if !column.decided && c.plan.list[c.plan.features[k]].Width > 0 {
			column.decided = true
		}
		if column.texts() == (c.plan.list[c.plan.features[k]].Width > 0) && !column.text {
			return fmt.Errorf("%s: the type of the values in column %q differs from the first file; use one type in "+
				"all files", path, column.name)
		}
	}
	before := make([]int, len(columns))
	for k, column := range columns {
		before[k] = column.missing
	}
	c.learning, c.sums = columns, l.sums
	for k, column := range columns { // the sums continue from the previous file
		complete := c.plan.list[c.plan.features[k]].Complete
		if first && l.rule == meansToFill && !column.texts() {
			column.skipped = complete
		} else if column.skipped && !complete {
			return errIncomplete
		}
		if column.summed() {
			c.sum.n, c.sum.sum = append(c.sum.n, column.n), append(c.sum.sum, column.sum)
		}
	}
	c.describe()
	wait := c.sumColumns(ctx)
	seen, err := surveyRows(ctx, c)
	if sumErr := wait(); err == nil {
		err = sumErr
	}
	if err != nil {
		return err
	}
	if seen.rows == 0 {
		return c.noRows()
	}
	l.rows += seen.rows
	number := 0
	for _, column := range columns {
		if l.sums && column.summed() {
			if c.sum.n != nil { // there were rows
				column.n, column.sum = c.sum.n[number], c.sum.sum[number]
			}
			column.missing = l.rows - int(column.n)
			number++
		}
	}
	if l.form.Missing != optionvalues.MissingDrop { // dropping leaves other rows
		seen.empty = map[string]int{}
		for k, column := range columns {
			seen.empty[column.name] = column.missing - before[k]
		}
		l.opt.seen[path] = seen
	}
	if first {
		l.finishFirst(c.plan, nil, seen.names)
		l.remarks = append(slices.Clone(c.remarks), l.namesOfRows()...)
	}
	return nil
}

// begin sets the columns of the learner if the table is the first, and returns the feature columns of the table.
func (l *formLearner) begin(plan *columns, path string, first bool) ([]*textColumn, error) {
	if first {
		if err := l.firstColumns(plan, path); err != nil {
			return nil, err
		}
	}
	if !first {
		plan.withoutColumns(l.leftOut(plan))
	}
	columns := make([]*textColumn, len(plan.features))
	for k, c := range plan.features {
		at, ok := l.at[plan.name(c)]
		if !ok {
			return nil, fmt.Errorf("%s: column %q is not in the first file; tables that are read together must have "+
				"the same columns", path, plan.name(c))
		}
		columns[k] = l.columns[at]
	}
	return columns, nil
}

// leftOut returns the features that the first table leaves out.
func (l *formLearner) leftOut(plan *columns) map[int]error {
	out := map[int]error{}
	for _, c := range plan.features {
		if slices.Contains(l.form.LeftOut, plan.name(c)) {
			out[c] = because("as in the first file")
		}
	}
	return out
}

// firstColumns sets the columns from the first table.
func (l *formLearner) firstColumns(plan *columns, path string) error {
	l.at, l.labelWhy = map[string]int{}, plan.why
	named := map[int]bool{}
	for _, name := range l.opt.Table.Categories {
		if name == "auto" {
			continue
		}
		found, err := plan.find(nil, name)
		if err != nil {
			return err
		}
		c := found[0]
		if !slices.Contains(plan.features, c) {
			return rao.Optionf("categories", "%s: column %s is in {categories} but is not a feature; leave it out of "+
				"{categories}", path, plan.name(c))
		}
		named[c] = true
	}
	for k, c := range plan.features {
		name := plan.name(c)
		if _, twice := l.at[name]; twice {
			return fmt.Errorf("%s: two columns have the name %q; rename one", path, name)
		}
		l.at[name] = k
		l.columns = append(l.columns, &textColumn{name: name, decided: named[c], text: named[c],
			top: l.opt.Table.Top > 0})
	}
	return nil
}

// namesOfRows returns remarks on columns whose texts are categories, although most rows have a different text.
func (l *formLearner) namesOfRows() (out []error) {
	for _, c := range l.columns {
		if n := len(c.values); c.text && !c.top && l.rows >= fewestRows && 2*n > l.rows-c.missing {
			out = append(out, reasonf("column %s has %d different texts in %d rows but is used as categories; "+
				"{drop=%s} leaves it out", c.name, n, l.rows-c.missing, c.name))
		}
	}
	return out
}

// finishFirst determines the label and the columns to leave out.
func (l *formLearner) finishFirst(plan *columns, out map[int]error, labels []string) {
	if len(out) < len(plan.features) {
		plan.withoutColumns(out)
	}
	for c := range plan.list {
		name := plan.name(c)
		switch {
		case plan.list[c].OnRequest && !slices.Contains(plan.features, c):
			continue
		case c == plan.label && plan.assumed && measured(labels):
			l.columns = append(l.columns, &textColumn{name: name})
			continue
		case c == plan.label:
			l.form.Label = name
		}
		if !slices.Contains(plan.features, c) && name != l.form.ID && name != l.form.Label && !l.form.Only {
			l.form.LeftOut = append(l.form.LeftOut, name)
		}
	}
	l.columns = slices.DeleteFunc(l.columns, func(c *textColumn) bool {
		return slices.Contains(l.form.LeftOut,
			c.name)
	})
	for k, c := range l.columns {
		l.at[c.name] = k
	}
	if l.form.ID != "" { // a name that is a number has no meaning in another file
		if found, err := plan.find(nil, l.form.ID); err == nil {
			l.form.ID = plan.name(found[0])
		}
	}
}

// leaveOut leaves out a column that would be a feature.
func (l *formLearner) leaveOut(name string, why error) {
	if l.why == nil {
		l.why = map[string]error{}
	}
	l.why[name] = why
	if !l.form.Only {
		l.form.LeftOut = append(l.form.LeftOut, name)
	}
}

// finishForm returns the form once all rows have been read.
func (l *formLearner) finishForm(spec string) (*recipe.Encoding, error) {
	for _, c := range l.columns {
		column := recipe.Column{Name: c.name, Date: c.date}
		rest := 0
		if recipes.Fills(l.form.Missing) || c.text && l.form.Missing != optionvalues.MissingDrop {
			column.Missing = float64(c.missing) / float64(max(1, l.rows))
		}
		everyRow := c.missing == 0 || l.form.Missing == optionvalues.MissingDrop // has one of the values
		if c.text || l.columnar && !c.decided {
			if len(c.values) == 0 {
				return nil, rao.Optionf("drop", "%s: column %q has no text in any row; leave it out with {drop}", spec,
					c.name)
			}
			if column.Values, rest = c.mostFrequent(l.opt.Table.Top); rest > 0 {
				everyRow, column.Rest = false, float64(rest)/float64(max(1, l.rows))
			}
			if sortClasses(column.Values); everyRow && len(column.Values) == 1 {
				l.leaveOut(c.name, reasonf("every row has the text %.40q", column.Values[0]))
				continue
			}
			if everyRow {
				column.Base, column.Values = column.Values[0], column.Values[1:]
			}
		}
		l.form.Columns = append(l.form.Columns, column)
	}
	if err := l.form.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", spec, err)
	}
	return l.form, nil
}

// fill returns the mean of each value of an observation.
func (l *formLearner) fill() ([]float64, error) {
	byName := map[string]*textColumn{}
	for _, c := range l.columns {
		byName[c.name] = c
	}
	var out []float64
	for _, column := range l.form.Columns {
		c := byName[column.Name]
		if column.Values == nil {
			if c.skipped {
				out = append(out, math.NaN())
				continue
			}
			m := means{names: []string{c.name}, rows: l.rows, n: []float64{c.n}, sum: []float64{c.sum}}
			mean, err := m.values()
			if err != nil {
				return nil, err
			}
			out = append(out, mean...)
			continue
		}
		counts := make([]int, len(column.Values))
		for text, n := range c.values {
			if k := slices.Index(column.Values, labelText(text)); k >= 0 {
				counts[k] += *n
			}
		}
		for _, n := range counts {
			out = append(out, float64(n)/float64(l.rows))
		}
	}
	return out, nil
}

// dropMissing leaves out the rows with a missing value.
func (d *Data) dropMissing() (*Data, error) {
	source := d.Source
	if d.X == nil {
		return nil, fmt.Errorf("%s: %w", d.Source, ErrMatricesLackValues)
	}
	if d = d.withoutMissing(); d.N() == 0 {
		return nil, everyRowLacks(source)
	}
	return d, nil
}

func everyRowLacks(source string) error {
	return rao.Optionf("missing", "%s: every row has a missing value; fill in missing values with {missing=median}",
		source)
}

// withoutMissing returns the vectors without missing values.
func (d *Data) withoutMissing() *Data {
	var rows []int
	row := make([]float64, d.X.cols)
	for i := range d.X.rows {
		d.X.Row(row, i)
		if !slices.ContainsFunc(row, math.IsNaN) {
			rows = append(rows, i)
		}
	}
	if len(rows) == d.X.rows {
		return d
	}
	return d.Subset(rows)
}
