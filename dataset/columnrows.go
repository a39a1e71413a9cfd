package dataset

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"rao"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/recipe"
)

type columnSource struct {
	rowInfo
	path       string
	opt        OpenOptions
	file       Columns
	plan       *columns
	conditions []condition
	texts      []int // columns read as text: the label, the coded features, the ID, then the columns of plan.keep
	numbers    []int // columns read as numbers
	coded      []int // index of each feature in texts, or -1 for a numeric one; nil if all are numeric
	id         int   // index of the row names in texts; -1 if there are none
	missing    recipe.Missing
	remarks    []error       // on columns that may name the rows
	dropped    int           // number of rows with a missing value
	learning   []*textColumn // by feature, while the form is learned; see formLearner
	sums       bool          // sum up numbers while reading
	sum        means         // means of the numbers

	rows    func(n int) (*ColumnRows, error) // reads the next rows; nil before the first row
	stop    func()                           // ends the reading of rows
	labels  *labelFile                       // may be nil
	row     int
	block   *ColumnRows
	forms   perText[string]    // canonical labels
	codes   []perText[int]     // by feature of texts
	days    []perText[float64] // by date feature: days, infinite for texts that are not dates
	holding []perText[bool]    // by condition: whether a text meets it
	keep    []int              // rows of the block that are kept
	counts  []int              // counts of the values of a column
}

// columnRows returns a function that opens a file of columns as a source of rows.
func columnRows(open func(path string) (Columns, error)) func(context.Context, string, *OpenOptions) (source, error) {
	return func(ctx context.Context, path string, opt *OpenOptions) (source, error) {
		conditions, err := parseWhere(opt.Where)
		if err != nil {
			return nil, err
		}
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		c := &columnSource{path: path, opt: *opt, file: f, conditions: conditions,
			holding: make([]perText[bool], len(conditions)),
			plan:    &columns{path: path, list: f.Columns(), named: true, typed: true}}
		if err = opt.restrict(path, f); err == nil {
			err = c.plan.decide(opt, conditions)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		if c.remarks = opt.remarks; opt.Form == nil && opt.OnReading != nil {
			if c.remarks, err = identifierRemarks(ctx, f, c.plan); err != nil {
				f.Close()
				return nil, err
			}
		}
		c.describe()
		return c, nil
	}
}

func (c *columnSource) describe() {
	c.texts, c.numbers, c.coded, c.id = nil, nil, nil, -1
	if c.plan.label >= 0 && c.opt.Labels == "" {
		c.texts = append(c.texts, c.plan.label)
	}
	for k, column := range c.plan.features {
		if c.plan.coding(k) == nil && (c.learning == nil || !c.learning[k].texts()) {
			if c.learning == nil || !c.learning[k].skipped {
				c.numbers = append(c.numbers, column)
			}
			continue
		}
		if c.coded == nil {
			c.coded = slices.Repeat([]int{-1}, len(c.plan.features))
		}
		c.coded[k] = len(c.texts)
		c.texts = append(c.texts, column)
	}
	if c.plan.id >= 0 && !c.opt.noIDs {
		c.id = len(c.texts)
		c.texts = append(c.texts, c.plan.id)
	}
	c.texts = append(c.texts, c.plan.keep...)
	c.codes, c.days = make([]perText[int], len(c.plan.features)), make([]perText[float64], len(c.plan.features))
	c.rowInfo = rowInfo{source: c.path, columns: c.plan.featureNames(), reading: c.plan.reading(), kind: float64s,
		kept: c.plan.keptNames(), expect: c.opt.rows}
	c.reading.Remarks = slices.Clone(c.remarks)
	single := false
	if c.cols, single = c.plan.size(); single && c.coded == nil {
		c.kind = float32s
	}
	if c.opt.Form != nil {
		c.missing = c.opt.missing()
	}
}

// fix implements source.
func (c *columnSource) fix(opt *OpenOptions) {
	if opt.Y != "" {
		return
	}
	if opt.Y = noLabels; c.plan.label >= 0 {
		opt.Y = c.plan.list[c.plan.label].Name
	}
}

func (c *columnSource) labeled() bool { return c.plan.label >= 0 || c.opt.Labels != "" }

func (c *columnSource) close() {
	c.endPass()
	c.file.Close()
}

func (c *columnSource) endPass() {
	if c.rows != nil {
		c.stop()
		c.rows = nil
	}
	if c.labels != nil {
		c.labels.close()
		c.labels = nil
	}
}

// begin starts a pass over the rows.
func (c *columnSource) begin(ctx context.Context, x *Table) (err error) {
	c.row, c.dropped, c.forms = 0, 0, perText[string]{}
	if c.opt.Labels != "" {
		if c.labels, err = openLabelFile(c.opt.Labels); err != nil {
			return err
		}
	}
	var numbers []int
	if x != nil || c.missing == optionvalues.MissingDrop || c.sums {
		numbers = c.numbers
	}
	c.rows, c.stop, err = c.file.Read(ctx, numbers, c.texts, c.coded == nil && x != nil && x.kind == float32s)
	return err
}

// read implements source.
func (c *columnSource) read(ctx context.Context, b *rowBlock) error {
	if c.rows == nil {
		if err := c.begin(ctx, b.x); err != nil {
			return err
		}
	}
	b.count(c.plan)
	for b.filled < b.size {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.next(b); err != nil {
			return err
		}
	}
	return nil
}

// next reads some rows and adds the rows that meet the conditions to the block.
func (c *columnSource) next(b *rowBlock) (err error) {
	c.block, err = c.rows(min(b.size-b.filled, labelBlock))
	if err == io.EOF && c.labels != nil {
		err = cmp.Or(c.labels.finish(c.path), err)
	}
	if err != nil {
		return err
	}
	if err := c.choose(b); err != nil {
		return err
	}
	if b.x == nil {
		if err := c.processTexts(); err != nil {
			return err
		}
		if c.sums && c.block.Numbers != nil {
			c.sum.addRows(c.block.Numbers, c.keep)
		}
	} else if err := c.write(b); err != nil {
		return err
	}
	if c.id >= 0 {
		for _, i := range c.keep {
			b.ids = append(b.ids, c.block.Texts[c.id].at(i))
		}
	}
	if b.x != nil && len(c.plan.keep) > 0 {
		for _, i := range c.keep {
			b.variables(c.plan.keep, func(column int) string { return c.kept(column).at(i) })
		}
	}
	b.filled += len(c.keep)
	return nil
}

// choose selects the rows of the block and adds their labels.
func (c *columnSource) choose(b *rowBlock) error {
	holding := make([][]bool, len(c.conditions))
	for k := range c.conditions {
		holding[k] = c.holding[k].of(c.kept(c.plan.where[k]).Values, c.conditions[k].holdsText)
	}
	var labels *Texts // labels from a column
	var forms []string
	if c.labels == nil && c.plan.label >= 0 {
		labels = &c.block.Texts[0]
		forms = c.forms.of(labels.Values, labelText)
	}
	lacking := c.missing == optionvalues.MissingDrop || b.x != nil && c.missing == optionvalues.MissingError
	c.keep = c.keep[:0]
rows:
	for i := range c.block.Rows {
		label := ""
		if labels != nil {
			label = forms[labels.Index[i]]
		} else if c.labels != nil {
			var err error
			if label, err = c.labels.next(); err != nil {
				return err
			}
		}
		c.row++
		for k := range holding {
			if !holding[k][c.kept(c.plan.where[k]).Index[i]] {
				continue rows
			}
		}
		if lacking {
			if k := c.lacks(i); k >= 0 && c.missing == optionvalues.MissingDrop {
				c.dropped++
				continue
			} else if k >= 0 {
				return c.noValue(k)
			}
		}
		if c.labeled() {
			if label == "" && c.labels == nil {
				return fmt.Errorf("%s: row %d has no label; give every row a label or remove it", c.path, c.row-1)
			}
			b.names = append(b.names, label)
		}
		c.keep = append(c.keep, i)
	}
	return nil
}

// sumColumns sums the numbers by column, if the file can and all its rows are used. The returned function waits for the
// sums. The sums are bit-identical to the sums of addRows.
func (c *columnSource) sumColumns(ctx context.Context) (wait func() error) {
	f, ok := c.file.(interface {
		Sum(ctx context.Context, numbers []int, n, sum []float64) error
	})
	if !ok || !c.sums || len(c.conditions) > 0 {
		return func() error { return nil }
	}
	c.sums = false
	c.sum.begin(len(c.numbers))
	var err error
	sums := par.Begin(func() { err = f.Sum(ctx, c.numbers, c.sum.n, c.sum.sum) })
	return func() error {
		sums.Finish()
		return err
	}
}

// lacks returns the first feature without a value in row i of the block, or -1 if there is none.
func (c *columnSource) lacks(i int) int {
	number := 0
	for k, column := range c.plan.features {
		if c.coded != nil && c.coded[k] >= 0 {
			if isMissing(c.block.Texts[c.coded[k]].at(i)) {
				return k
			}
			continue
		}
		for range c.plan.list[column].Width {
			if math.IsNaN(c.block.Numbers.At(i, number)) {
				return k
			}
			number++
		}
	}
	return -1
}

// noValue returns the error for a missing feature in the last row.
func (c *columnSource) noValue(feature int) error {
	return rao.Optionf("missing", "%s: row %d, column %q has no value; fill it in, or "+missingRemedy(c.opt.fitted()),
		c.path, c.row-1, c.plan.name(c.plan.features[feature]))
}

func (c *columnSource) kept(column int) *Texts {
	return &c.block.Texts[len(c.texts)-len(c.plan.keep)+slices.Index(c.plan.keep, column)]
}

// survey implements source.
func (c *columnSource) survey(ctx context.Context) (*survey, error) {
	if !c.labeled() && len(c.conditions) == 0 && c.missing != optionvalues.MissingDrop && c.coded == nil {
		return &survey{rows: c.file.Rows()}, nil
	}
	if seen := c.opt.seen[c.path]; seen != nil {
		for k := range c.plan.features {
			if coding := c.plan.coding(k); coding != nil && !coding.column.Date {
				c.plan.lacks.Missing[k] = seen.empty[coding.column.Name]
			}
		}
		c.reading.Remarks = append(c.reading.Remarks, c.plan.formRemarks(0)...)
		return seen, nil
	}
	defer c.endPass()
	seen, err := c.withoutIDs(ctx)
	if err == nil && seen.rows == 0 {
		err = c.noRows()
	}
	if c.learning == nil {
		c.reading.Remarks = append(c.reading.Remarks, c.plan.formRemarks(c.dropped)...)
	}
	return seen, err
}

// withoutIDs is like surveyRows, but does not read row names.
func (c *columnSource) withoutIDs(ctx context.Context) (*survey, error) {
	if c.id < 0 {
		return surveyRows(ctx, c)
	}
	id := c.plan.id
	c.plan.id = -1
	c.describe()
	seen, err := surveyRows(ctx, c)
	c.endPass()
	c.plan.id = id
	c.describe()
	return seen, err
}

func (c *columnSource) noRows() error {
	if len(c.conditions) == 0 {
		return fmt.Errorf("%s: the file has columns but no rows, so %w; give a file with data", c.path, ErrNoRows)
	}
	return noRows(c.path, c.opt)
}

// settle implements source.
func (c *columnSource) settle(r *raw, all *rowBlock) error {
	if all.filled == 0 {
		return c.noRows()
	}
	if !c.labeled() {
		r.why = reasonf(" (%w)", c.plan.why)
	}
	r.vars, r.form = c.columnVars(), c.opt.Form
	r.reading.Remarks = append(r.reading.Remarks, c.plan.formRemarks(c.dropped)...)
	r.keep(c.plan, all)
	return nil
}
