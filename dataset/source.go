package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"rao/internal/par"
)

// source is an open source of rows, which are read in blocks. Every file format has one. [Stream] passes its blocks
// on, and [Open] collects them.
type source interface {
	known() *rowInfo
	// survey is the first pass: it finds the number of rows and the labels. Its results may change the columns.
	// Without it, the rows are read according to the options.
	survey(ctx context.Context) (*survey, error)
	// read adds rows to a block until it is full. It returns io.EOF with or after the last row.
	read(ctx context.Context, b *rowBlock) error
	// settle completes the data after all rows were read into one block without a survey, and makes the decisions that
	// the options leave open.
	settle(r *raw, all *rowBlock) error
	// fix sets options so other files are read in the same way.
	fix(opt *OpenOptions)
	close()
}

// rowInfo describes the rows of an open source.
type rowInfo struct {
	source  string
	cols    int
	columns []string // names of the columns; nil if they have none
	kind    storage
	kept    []string // columns that become variables
	expect  int      // number of rows for which memory may be allocated before they are read
	names   []string // fixed class names
	why     error    // why there are no labels
	reading *Reading // decisions of the reader; nil if there were none
}

func (s *rowInfo) known() *rowInfo { return s }

// columnVars returns the variable with the column names, or nil if there are none.
func (s *rowInfo) columnVars() map[string]*Array {
	if s.columns == nil {
		return nil
	}
	return map[string]*Array{"columns": {Name: "columns", Type: "U", Shape: []int{len(s.columns)}, Strings: s.columns}}
}

// prepare makes the first pass, checks the classes and reports the decisions.
func prepare(ctx context.Context, s source, opt OpenOptions) (rows int, classes []string, err error) {
	seen, err := s.survey(ctx)
	if err != nil {
		return 0, nil, err
	}
	known := s.known()
	if classes, err = known.classes(seen, opt); err != nil {
		return 0, nil, err
	}
	opt.report(known.reading, seen.rows, classes)
	return seen.rows, classes, nil
}

// classes returns the class names in order, or nil if the rows have no labels.
func (s *rowInfo) classes(seen *survey, opt OpenOptions) ([]string, error) {
	if seen.names == nil {
		if opt.RequireLabels {
			return nil, finish(&Data{Source: s.source}, opt, s.why)
		}
		return nil, nil
	}
	classes := s.names
	if classes == nil {
		classes = slices.Clone(seen.names)
		sortClasses(classes)
	}
	return classes, opt.checkClasses(s.source, seen.rows, classes)
}

// rowBlock contains rows with their labels and other values.
type rowBlock struct {
	x      *Table     // nil if the values are not needed
	names  []string   // the label of each row; empty without labels
	labels []int      // class of each label; nil without labels
	ids    []string   // names of the rows; empty if they have none
	lacks  *Lacks     // missing and unknown texts of its rows; nil if not counted
	vars   [][]string // values of the columns that become variables; nil if they are not needed
	size   int        // capacity in rows
	filled int        // rows in the block
}

// clear removes all rows from the block but keeps its memory.
func (b *rowBlock) clear() {
	b.names, b.ids, b.lacks, b.filled = b.names[:0], nil, nil, 0
	for k := range b.vars {
		b.vars[k] = b.vars[k][:0]
	}
}

// add adds the label and the other values of the selected row at index from.
func (b *rowBlock) add(from int) {
	if b.x != nil && from != b.filled {
		b.x.setRow(b.filled, b.x, from, 1)
	}
	b.filled++
}

// variables adds the texts of the columns that become variables, if they are needed.
func (b *rowBlock) variables(columns []int, text func(column int) string) {
	if b.vars == nil {
		return
	}
	for k, c := range columns {
		b.vars[k] = append(b.vars[k], labelText(text(c)))
	}
}

// classify sets the classes of the labels; -1 means no class.
func (b *rowBlock) classify(index map[string]int) {
	b.labels = slices.Grow(b.labels[:0], len(b.names))
	last, class := "", -1
	for _, name := range b.names {
		if name != last || class < 0 { // often the same as in the previous row
			var ok bool
			if class, ok = index[name]; !ok {
				class = -1
			}
			last = name
		}
		b.labels = append(b.labels, class)
	}
}

// rows returns the rows and labels in the block. They are valid until the next read.
func (b *rowBlock) rows() (*Table, []int) {
	x := b.x.Rows(0, b.filled)
	if b.labels == nil {
		return x, nil
	}
	return x, b.labels[:b.filled]
}

func indexOf(names []string) map[string]int {
	index := make(map[string]int, len(names))
	for i, name := range names {
		index[name] = i
	}
	return index
}

// errNothing is the error for a source, or a part of one, without a row.
var errNothing = errors.New("the data have no observations; give at least one")

// handOut reads the rows and calls fn for each block. The next block is read while fn runs.
func handOut(ctx context.Context, s source, classes []string, block int, fn func(b *rowBlock) error) error {
	return handOutBlocks(ctx, s, classes, [2]*rowBlock{{size: block}, {size: block}}, fn)
}

// handOutBlocks is like handOut, for blocks that determine which values are read.
func handOutBlocks(ctx context.Context, s source, classes []string, blocks [2]*rowBlock,
	fn func(b *rowBlock) error) error {
	known := s.known()
	if known.cols < 1 {
		return fmt.Errorf("%s: the observations have no values; save at least one value per observation", known.source)
	}
	index := indexOf(classes)
	anything := false
	err := par.Ahead(blocks,
		func(b *rowBlock) error {
			if b.x == nil {
				b.x = newTable(known.kind, b.size, known.cols)
			}
			b.clear()
			err := s.read(ctx, b)
			if classes != nil {
				b.classify(index)
			}
			return err
		},
		func(b *rowBlock) error {
			if b.filled == 0 {
				return nil
			}
			anything = true
			return fn(b)
		})
	if err == nil && !anything {
		err = fmt.Errorf("%s: %w", known.source, errNothing)
	}
	return err
}

func readAll(ctx context.Context, s source) (*raw, error) {
	if a, ok := s.(*arrayRows); ok && a.readAll != nil {
		return a.readWhole()
	}
	known := s.known()
	all := &rowBlock{x: &Table{cols: known.cols, kind: max(known.kind, float32s)},
		vars: make([][]string, len(known.kept))}
	for err := error(nil); err != io.EOF; {
		all.makeRoom(known.expect)
		if err = s.read(ctx, all); err != nil && err != io.EOF {
			return nil, err
		}
	}
	if len(all.names) == 0 { // no labels, although there may be room for them
		all.names = nil
	}
	x := all.x.Rows(0, all.filled)
	r := &raw{source: known.source, names: known.names, why: known.why, reading: known.reading, y: all.names,
		x: &Array{Name: "X", Shape: []int{x.rows, x.cols}, Float32: x.f32, Float64: x.f64}}
	if err := s.settle(r, all); err != nil {
		return nil, err
	}
	return r, nil
}

// leastRoom is the smallest number of values for which a block allocates memory at a time.
const leastRoom = 1 << 16

// makeRoom allocates memory for more rows in the block: as many as are expected plus one, to detect the end.
func (b *rowBlock) makeRoom(expect int) {
	t := b.x
	used, n := b.filled*t.cols, max((expect-b.filled+1)*t.cols, t.cols, leastRoom)
	if t.kind == float32s {
		t.f32 = withRoom(t.f32, used, n)
		t.rows = len(t.f32) / max(t.cols, 1)
		t.f32 = t.f32[:t.rows*t.cols]
	} else {
		t.f64 = withRoom(t.f64, used, n)
		t.rows = len(t.f64) / max(t.cols, 1)
		t.f64 = t.f64[:t.rows*t.cols]
	}
	b.size = t.rows
	if b.names == nil && expect > 0 {
		b.names = make([]string, 0, expect)
	}
}

// withRoom returns the used part of s with room for at least n more values.
func withRoom[T any](s []T, used, n int) []T {
	if used == 0 { // new memory, which need not be cleared
		return make([]T, n)
	}
	s = slices.Grow(s[:used], n)
	return s[:cap(s)]
}

// surveyRows reads the labels that are stored with the rows.
func surveyRows(ctx context.Context, s source) (*survey, error) {
	seen := &survey{}
	var labels distinct
	b := &rowBlock{size: labelBlock}
	for err := error(nil); err != io.EOF; {
		b.clear()
		if err = s.read(ctx, b); err != nil && err != io.EOF {
			return nil, err
		}
		seen.rows += b.filled
		for _, name := range b.names {
			labels.add(name)
		}
	}
	seen.names = labels.names
	return seen, nil
}
