package dataset

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// columnSource reads the rows of a file of columns.
type columnSource struct {
	rowInfo
	path       string
	opt        OpenOptions
	file       Columns
	plan       *columns
	conditions []condition
	texts      []int // columns that are read as text: the label, then those of plan.keep

	in     ColumnReader // nil before the first row
	labels labelRows    // a file of labels; may be nil
	row    int
	block  [][]string
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
	if c.plan.label >= 0 && c.opt.Labels == "" {
		c.texts = append(c.texts, c.plan.label)
	}
	c.texts = append(c.texts, c.plan.keep...)
	c.block = make([][]string, len(c.texts))
	c.rowInfo = rowInfo{source: c.path, columns: c.plan.featureNames(), reading: c.plan.reading(), kind: float64s,
		kept: len(c.plan.keep)}
	single := false
	if c.cols, single = c.plan.size(); single {
		c.kind = float32s
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
	c.row = 0
	if c.opt.Labels != "" {
		if c.labels, err = openLabels(c.opt.Labels); err != nil {
			return err
		}
	}
	var numbers []int
	if x != nil {
		numbers = c.plan.features
	}
	c.in, err = c.file.Read(ctx, numbers, c.texts, x != nil && x.single)
	return err
}

// read implements source.
func (c *columnSource) read(ctx context.Context, b *rowBlock) error {
	if c.in == nil {
		if err := c.begin(ctx, b.x); err != nil {
			return err
		}
	}
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
	var x *Table
	if b.x != nil {
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
		if c.labeled() {
			if label == "" {
				return fmt.Errorf("%s: row %d has no label; give every row a label or remove it", c.path, c.row-1)
			}
			b.names = append(b.names, label)
		}
		if x != nil {
			b.variables(c.plan.keep, func(column int) string { return c.kept(column, i) })
		}
		b.add(from + i)
	}
	return nil
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
	if !c.labeled() && len(c.conditions) == 0 {
		return &survey{rows: c.file.Rows()}, nil
	}
	defer c.endPass()
	seen, err := surveyRows(ctx, c)
	if err == nil && seen.rows == 0 {
		err = c.noRows()
	}
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
	r.vars = c.columnVars()
	r.keep(c.plan, all)
	return nil
}
