package dataset

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// columnSource reads the rows of a file of columns.
type columnSource struct {
	s          *rowSource
	path       string
	opt        OpenOptions
	file       Columns
	plan       *columns
	conditions []condition
	texts      []int // columns that are read as text: the label, then those of plan.keep

	in     ColumnReader
	labels labelRows // a file of labels; may be nil
	row    int
	block  [][]string
	known  map[string]string
	queue  labelQueue
	y      []string   // the memory of the queue
	vars   [][]string // of plan.keep, nil unless they are wanted
}

// columnRows opens a file of columns as a stream.
func columnRows(open func(path string) (Columns, error)) func(context.Context, string,
	OpenOptions) (*rowSource, error) {
	return func(ctx context.Context, path string, opt OpenOptions) (*rowSource, error) {
		c, err := openColumns(ctx, open, path, opt)
		if err != nil {
			return nil, err
		}
		return c.s, nil
	}
}

func openColumns(ctx context.Context, open func(path string) (Columns, error), path string,
	opt OpenOptions) (*columnSource, error) {
	conditions, err := parseWhere(opt.Where)
	if err != nil {
		return nil, err
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	if err := opt.Span.restrict(path, f); err != nil {
		f.Close()
		return nil, err
	}
	c := &columnSource{path: path, opt: opt, file: f, conditions: conditions, known: map[string]string{}}
	c.plan = &columns{path: path, list: f.Columns(), named: true, typed: true}
	if err := c.plan.decide(&opt, conditions); err != nil {
		f.Close()
		return nil, err
	}
	if c.labeled() && opt.Labels == "" {
		c.texts = append(c.texts, c.plan.label)
	}
	c.texts = append(c.texts, c.plan.keep...)
	c.block = make([][]string, len(c.texts))
	c.s = &rowSource{source: path, n: -1, columns: c.plan.featureNames(), reading: c.plan.reading(),
		survey: c.survey, close: c.close, fix: c.fix,
		read32: func(dst []float32) (int, error) { return c.read(ctx, NewTable32(len(dst)/c.s.cols, c.s.cols, dst)) },
		read64: func(dst []float64) (int, error) { return c.read(ctx, NewTable64(len(dst)/c.s.cols, c.s.cols, dst)) }}
	c.s.cols, c.s.single = c.plan.size()
	if c.labeled() {
		c.s.labels = func() (labelRows, error) { return &c.queue, nil }
	}
	return c, nil
}

// fix implements rowSource.fix.
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
func (c *columnSource) begin(ctx context.Context, numbers []int, single bool) (err error) {
	c.endPass()
	c.row = 0
	if c.opt.Labels != "" {
		if c.labels, err = openLabels(c.opt.Labels); err != nil {
			return err
		}
	}
	c.in, err = c.file.Read(ctx, numbers, c.texts, single)
	return err
}

// next reads rows and calls keep for each that meets the conditions, with its place in
// the block and its label.
func (c *columnSource) next(n int, x *Table, keep func(i int, label string) error) (int, error) {
	for k := range c.block {
		c.block[k] = slices.Grow(c.block[k][:0], n)[:n]
	}
	n, err := c.in.Next(n, x, c.block)
	if err == io.EOF {
		err = c.endOfLabels()
	}
	if err != nil {
		return 0, err
	}
	for i := range n {
		label, err := c.label(i)
		if err != nil {
			return 0, err
		}
		c.row++
		if !c.meets(i) {
			continue
		}
		if label == "" && c.labeled() {
			return 0, fmt.Errorf("%s: row %d has no label; give every row a label or remove it", c.path, c.row-1)
		}
		if err := keep(i, label); err != nil {
			return 0, err
		}
	}
	return n, nil
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
	name, ok := c.known[text]
	if !ok {
		name = labelText(text)
		if len(c.known) < labelBlock {
			c.known[text] = name
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

// survey counts the rows that meet the conditions, and finds their labels.
func (c *columnSource) survey(ctx context.Context) (*survey, error) {
	if !c.labeled() && len(c.conditions) == 0 {
		return &survey{rows: c.file.Rows()}, nil
	}
	if err := c.begin(ctx, nil, false); err != nil {
		return nil, err
	}
	defer c.endPass()
	seen := &survey{}
	var labels distinct
	for {
		_, err := c.next(labelBlock, nil, func(_ int, label string) error {
			seen.rows++
			labels.add(label)
			return ctx.Err()
		})
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if seen.rows == 0 {
		return nil, c.noRows()
	}
	if c.labeled() {
		seen.names = labels.names
	}
	return seen, nil
}

func (c *columnSource) noRows() error {
	if len(c.conditions) == 0 {
		return fmt.Errorf("%s: %w: the file has columns and no row", c.path, ErrNoRows)
	}
	return noRows(c.path, c.opt)
}

// read fills rows of x with those that meet the conditions.
func (c *columnSource) read(ctx context.Context, x *Table) (int, error) {
	if c.in == nil {
		if err := c.begin(ctx, c.plan.features, c.s.single); err != nil {
			return 0, err
		}
	}
	c.y = c.y[:0]
	n := 0
	for n == 0 {
		_, err := c.next(x.rows, x, func(i int, label string) error {
			if i != n {
				x.moveRow(n, i)
			}
			for k := range c.vars {
				c.vars[k] = append(c.vars[k], labelText(c.kept(c.plan.keep[k], i)))
			}
			if c.labeled() {
				c.y = append(c.y, label)
			}
			n++
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	c.queue.names = c.y
	return n, nil
}

// loadColumns reads a file of columns whole; rows are picked, and a file of labels is read, on
// the way.
func loadColumns(open func(path string) (Columns, error)) func(context.Context, string,
	OpenOptions) (*raw, OpenOptions, error) {
	return func(ctx context.Context, path string, opt OpenOptions) (*raw, OpenOptions, error) {
		c, err := openColumns(ctx, open, path, opt)
		if err != nil {
			return nil, opt, err
		}
		defer c.close()
		r, err := c.load(ctx)
		opt.Where, opt.Labels = nil, ""
		return r, opt, err
	}
}

func (c *columnSource) load(ctx context.Context) (*raw, error) {
	s := c.s
	c.vars = make([][]string, len(c.plan.keep))
	r := &raw{source: c.path, vars: map[string]*Array{}, reading: s.reading}
	if !c.labeled() {
		r.why = " (" + c.plan.why + ")"
	}
	x := &Array{Name: "X", Type: "f8"}
	buf := &Table{rows: labelBlock, cols: s.cols, single: s.single}
	if s.single {
		x.Type = "f4"
		buf.f32 = make([]float32, labelBlock*s.cols)
	} else {
		buf.f64 = make([]float64, labelBlock*s.cols)
	}
	rows := 0
	for {
		n, err := c.read(ctx, buf)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		rows += n
		if s.single {
			x.Float32 = append(x.Float32, buf.f32[:n*s.cols]...)
		} else {
			x.Float64 = append(x.Float64, buf.f64[:n*s.cols]...)
		}
		if c.labeled() {
			r.y = append(r.y, c.y...)
		}
	}
	if rows == 0 {
		return nil, c.noRows()
	}
	x.Shape = []int{rows, s.cols}
	r.x = x
	if s.columns != nil {
		r.vars["columns"] = &Array{Name: "columns", Type: "U", Shape: []int{len(s.columns)}, Strings: s.columns}
	}
	for k, i := range c.plan.keep {
		name := c.plan.list[i].Name
		r.vars[name] = &Array{Name: name, Type: "U", Shape: []int{rows}, Strings: c.vars[k]}
	}
	return r, nil
}
