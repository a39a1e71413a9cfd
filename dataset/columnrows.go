package dataset

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"rao"
)

// columnSource reads the rows of a file of columns.
type columnSource struct {
	rowInfo
	path       string
	opt        OpenOptions
	file       Columns
	plan       *columns
	conditions []condition
	texts      []int // columns read as text: the label, those of coded, the id, and at last those of plan.keep
	numbers    []int // columns that are read as numbers
	coded      []int // of each feature, its place in texts; -1 for one of numbers. nil where all are
	id         int   // place of the names of the rows in texts, -1 without
	missing    Missing
	dropped    int           // rows that lack a value
	learning   []*textColumn // of each feature, while its form is learned; see formLearner
	sums       bool          // numbers are summed up meanwhile

	in     ColumnReader // nil before the first row
	labels labelRows    // a file of labels; may be nil
	row    int
	block  [][]string
	values *Table            // numbers of a block, where they do not go to the observations as they are
	forms  map[string]string // of labels that were seen
}

// columnRows returns what opens a file of columns as a source of rows.
func columnRows(open func(path string) (Columns, error)) func(context.Context, string, *OpenOptions) (source, error) {
	return func(_ context.Context, path string, opt *OpenOptions) (source, error) {
		conditions, err := parseWhere(opt.Where)
		if err != nil {
			return nil, err
		}
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		c := &columnSource{path: path, opt: *opt, file: f, conditions: conditions, forms: map[string]string{},
			plan: &columns{path: path, list: f.Columns(), named: true, typed: true}}
		if err = opt.Span.restrict(path, f); err == nil {
			err = c.plan.decide(opt, conditions)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		c.describe()
		return c, nil
	}
}

// describe notes what the plan says of the rows.
func (c *columnSource) describe() {
	c.texts, c.numbers, c.coded, c.id = nil, nil, nil, -1
	if c.plan.label >= 0 && c.opt.Labels == "" {
		c.texts = append(c.texts, c.plan.label)
	}
	for k, column := range c.plan.features {
		if c.plan.coding(k) == nil && (c.learning == nil || !c.learning[k].text) {
			c.numbers = append(c.numbers, column)
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
	c.block = make([][]string, len(c.texts))
	c.rowInfo = rowInfo{source: c.path, columns: c.plan.featureNames(), reading: c.plan.reading(), kind: float64s,
		kept: c.plan.keptNames(), expect: c.opt.rows}
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
	if opt.Y != "" || opt.LabelColumn != "" {
		return
	}
	if opt.LabelColumn = "none"; c.plan.label >= 0 {
		opt.LabelColumn = c.plan.list[c.plan.label].Name
	}
}

// labeled reports whether rows have labels.
func (c *columnSource) labeled() bool { return c.plan.label >= 0 || c.opt.Labels != "" }

func (c *columnSource) close() {
	c.endPass()
	c.file.Close()
}

func (c *columnSource) endPass() {
	if c.in != nil {
		c.in.Close()
		c.in = nil
	}
	if c.labels != nil {
		c.labels.close()
		c.labels = nil
	}
}

// begin starts a pass over the rows.
func (c *columnSource) begin(ctx context.Context, x *Table) (err error) {
	c.row, c.dropped = 0, 0
	if c.opt.Labels != "" {
		if c.labels, err = openLabels(c.opt.Labels); err != nil {
			return err
		}
	}
	var numbers []int
	if x != nil || c.missing == MissingDrop || c.sums {
		numbers = c.numbers
	}
	c.values = nil
	if numbers != nil && (x == nil || c.coded != nil) {
		width := 0
		for _, column := range numbers {
			width += c.plan.list[column].Width
		}
		c.values = NewTable64(labelBlock, width, make([]float64, labelBlock*width))
	}
	c.in, err = c.file.Read(ctx, numbers, c.texts, c.values == nil && x != nil && x.single)
	return err
}

// read implements source.
func (c *columnSource) read(ctx context.Context, b *rowBlock) error {
	if c.in == nil {
		if err := c.begin(ctx, b.x); err != nil {
			return err
		}
	}
	before := c.plan.lacks()
	defer func() { b.count(c.plan, before) }()
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

// next reads some rows and adds those that meet the conditions to the block.
func (c *columnSource) next(b *rowBlock) error {
	from, n := b.filled, min(b.size-b.filled, labelBlock)
	for k := range c.block {
		c.block[k] = slices.Grow(c.block[k][:0], n)[:n]
	}
	x := c.values
	if x != nil {
		x = x.Rows(0, n)
	} else if b.x != nil && len(c.numbers) > 0 {
		x = b.x.Rows(from, from+n)
	}
	n, err := c.in.Next(n, x, c.block)
	if err == io.EOF {
		err = c.endOfLabels()
	}
	if err != nil {
		return err
	}
	for i := range n {
		label, err := c.label(i)
		if err != nil {
			return err
		}
		c.row++
		if !c.meets(i) {
			continue
		}
		if c.missing == MissingDrop && c.lacks(x, i) >= 0 {
			c.dropped++
			continue
		}
		if c.labeled() {
			if label == "" {
				return fmt.Errorf("%s: row %d has no label; give every row a label or remove it", c.path, c.row-1)
			}
			b.names = append(b.names, label)
		}
		if b.x == nil {
			if err := c.see(i); err != nil {
				return err
			}
			if c.sums {
				c.sum(x, i)
			}
		}
		if c.id >= 0 {
			b.ids = append(b.ids, c.block[c.id][i])
		}
		if b.x != nil {
			if c.missing == MissingError {
				if k := c.lacks(x, i); k >= 0 {
					return c.noValue(k)
				}
			}
			c.code(b.x, from+i, x, i)
			b.variables(c.plan.keep, func(column int) string { return c.kept(column, i) })
		}
		b.add(from + i)
	}
	return nil
}

// see looks at the texts of row i of the block: it learns the form, or counts texts that the form does not know.
func (c *columnSource) see(i int) error {
	for k, at := range c.coded {
		if at < 0 {
			continue
		}
		field := c.block[at][i]
		if c.learning == nil {
			c.plan.codes[k].lookText(field)
		} else if err := c.learning[k].seeText(field); err != nil {
			return fmt.Errorf("%s: %w", c.path, err)
		}
	}
	return nil
}

// sum adds the numbers of row i of the block, which are in x, to those of their columns.
func (c *columnSource) sum(x *Table, i int) {
	if x == nil {
		return
	}
	row, number := x.f64[i*x.cols:(i+1)*x.cols], 0
	for k, column := range c.learning {
		if column.text {
			continue
		}
		if v := row[number]; v == v {
			c.learning[k].sum += v
			c.learning[k].n++
		}
		number++
	}
}

// lacks returns the first feature without a value in row i of the block, -1 for none. x has the numbers.
func (c *columnSource) lacks(x *Table, i int) int {
	number := 0
	for k, column := range c.plan.features {
		if c.coded != nil && c.coded[k] >= 0 {
			if isMissing(c.block[c.coded[k]][i]) {
				return k
			}
			continue
		}
		for range c.plan.list[column].Width {
			if math.IsNaN(x.At(i, number)) {
				return k
			}
			number++
		}
	}
	return -1
}

// noValue is the error for a feature that is missing in the row that was read last.
func (c *columnSource) noValue(feature int) error {
	return rao.Optionf("missing", "%s: row %d, column %q has no value; fill it in, or set {missing=median}, mean or "+
		"drop where the model learns", c.path, c.row-1, c.plan.name(c.plan.features[feature]))
}

// code writes row i of the block, whose numbers are in x, to the row of the observations; without texts they are there.
func (c *columnSource) code(to *Table, row int, x *Table, i int) {
	if c.coded == nil {
		return
	}
	out, number := to.f64[row*to.cols:row*to.cols], 0
	for k, at := range c.coded {
		if at < 0 {
			out = append(out, x.At(i, number))
			number++
			continue
		}
		coding := c.plan.codes[k]
		out = appendOneHot(out, len(coding.column.Values), coding.lookText(c.block[at][i]))
	}
}

// label returns the label of row i of the block.
func (c *columnSource) label(i int) (string, error) {
	switch {
	case c.labels != nil:
		name, err := c.labels.next()
		if err == io.EOF {
			err = fmt.Errorf("%s: %d labels in %s and more rows; every row needs one label",
				c.path, c.row, c.opt.Labels)
		}
		return name, err
	case c.plan.label < 0:
		return "", nil
	}
	text := c.block[0][i]
	name, ok := c.forms[text]
	if !ok {
		name = labelText(text)
		if len(c.forms) < labelBlock {
			c.forms[text] = name
		}
	}
	return name, nil
}

// endOfLabels is io.EOF unless labels are left.
func (c *columnSource) endOfLabels() error {
	if c.labels == nil {
		return io.EOF
	}
	if _, err := c.labels.next(); err != io.EOF {
		return fmt.Errorf("%s: %d rows and more labels in %s; every row needs one label", c.path, c.row, c.opt.Labels)
	}
	return io.EOF
}

// meets reports whether row i of the block meets the conditions.
func (c *columnSource) meets(i int) bool {
	for k := range c.conditions {
		if !c.conditions[k].holdsText(c.kept(c.plan.where[k], i)) {
			return false
		}
	}
	return true
}

// kept is the text of a kept column in row i of the block.
func (c *columnSource) kept(column, i int) string {
	return c.block[len(c.texts)-len(c.plan.keep)+slices.Index(c.plan.keep, column)][i]
}

// survey implements source.
func (c *columnSource) survey(ctx context.Context) (*survey, error) {
	if !c.labeled() && len(c.conditions) == 0 && c.missing != MissingDrop && c.coded == nil {
		return &survey{rows: c.file.Rows()}, nil
	}
	if seen := c.opt.seen[c.path]; seen != nil {
		for k := range c.plan.features {
			if coding := c.plan.coding(k); coding != nil {
				coding.missing = seen.empty[coding.column.Name]
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

// withoutIDs is surveyRows, which needs no names of rows.
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
		return fmt.Errorf("%s: %w: the file has columns and no row", c.path, ErrNoRows)
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
