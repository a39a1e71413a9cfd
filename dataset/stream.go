package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"rao/internal/format/ndarray"
)

// defaultBlock is the number of rows that Stream hands out when none is asked for.
const defaultBlock = 8192

// Stream reads a data set in blocks of at most block rows (8192 if block is 0) and
// calls fn with each: the rows, the class of each row and the class names, which are
// the same in every call. x and labels are overwritten afterwards. labels is nil
// without labels. The next block is read on another goroutine while fn works. An error of fn ends the reading and is
// returned.
//
// Tables, Parquet, IDX and CIFAR files, folders of images, and npy and npz arrays in C order
// are read as they go, and their labels too, after a first pass that finds the classes:
// memory holds two blocks, also of compressed files. The values of --where in npz files, and
// the names of images, are held. MAT-files and Fortran-order arrays are read whole first.
// With OpenOptions.Span a part of one file is read. Stacks of matrices are not vectors and are an error: use [Open].
func Stream(ctx context.Context, spec string, opt OpenOptions, block int,
	fn func(x *Table, labels []int, classes []string) error) error {
	return Blocks(ctx, spec, opt, block, func(d *Data, _ int) error {
		if d.X == nil {
			return noVectors(d)
		}
		return fn(d.X, d.Labels, d.Classes)
	})
}

func noVectors(d *Data) error {
	return fmt.Errorf("%s: matrices, where vectors are needed; the methods for matrices read the data whole", d.Source)
}

// Blocks is [Stream] with blocks that are data: they know their source, the number of
// their first row and the names of the columns, and fn is told the number of all rows.
// Matrices come as one block, whatever their number, and so does what cannot be read as it
// goes; they have their variables.
func Blocks(ctx context.Context, spec string, opt OpenOptions, block int, fn func(d *Data, total int) error) error {
	if block <= 0 {
		block = defaultBlock
	}
	known, err := lookup(spec)
	if err != nil {
		return err
	}
	var src *rowSource
	if known != nil {
		if err = opt.Span.oneFile(spec); err == nil {
			src, err = known.rows(ctx, spec, opt)
		}
	} else {
		src, err = pathRows(ctx, spec, opt)
	}
	if err != nil {
		return err
	}
	if src == nil { // cannot be read as it goes
		if err := opt.Span.oneFile(spec); err != nil {
			return err
		}
		d, err := Open(ctx, spec, opt)
		if err != nil {
			return err
		}
		return blocksOf(ctx, d, block, fn)
	}
	defer src.close()
	rows, classes, err := src.prepare(ctx, opt)
	if err != nil {
		return err
	}
	order, err := orderFor(opt.Columns, src)
	if err != nil {
		return err
	}
	first := 0
	var vars map[string]*Array
	if opt.Columns != nil {
		src.columns = opt.Columns
	}
	if src.columns != nil {
		vars = map[string]*Array{"columns": {Name: "columns", Type: "U", Shape: []int{len(src.columns)},
			Strings: src.columns}}
	}
	return src.hand(ctx, classes, block, func(x *Table, labels []int, classes []string) error {
		d := &Data{Source: spec, First: first, X: x.inOrder(order), Labels: labels, Classes: classes, Vars: vars}
		first += x.rows
		if src.named != nil {
			d.Vars = withIDs(vars, opt.Form.ID, src.named)
		}
		return fn(d, rows)
	})
}

// withIDs returns the variables with the names of the rows.
func withIDs(vars map[string]*Array, name string, ids []string) map[string]*Array {
	out := maps.Clone(vars)
	if out == nil {
		out = map[string]*Array{}
	}
	out[name] = &Array{Name: name, Type: "U", Shape: []int{len(ids)}, Strings: ids}
	return out
}

// pathRows opens a path, or several, as a stream; nil means that they cannot be.
func pathRows(ctx context.Context, spec string, opt OpenOptions) (*rowSource, error) {
	files, err := Files(spec)
	switch {
	case err != nil:
		return nil, err
	case len(files) == 1:
		return openRows(ctx, files[0], opt)
	case files != nil && !opt.Span.whole():
		return nil, opt.Span.oneFile(spec)
	case files != nil:
		return manyRows(spec, files, opt)
	}
	return openRows(ctx, spec, opt)
}

// blocksOf hands out data that are in memory.
func blocksOf(ctx context.Context, d *Data, block int, fn func(d *Data, total int) error) error {
	n := d.N()
	if d.X == nil {
		return fn(d, n)
	}
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+block, n)
		part := *d
		part.First, part.X = lo, d.X.Rows(lo, hi)
		if d.Labels != nil {
			part.Labels = d.Labels[lo:hi]
		}
		part.Vars = nil
		if v := d.Vars["columns"]; v != nil {
			part.Vars = map[string]*Array{"columns": v}
		}
		if err := fn(&part, n); err != nil {
			return err
		}
	}
	return nil
}

// rowSource reads rows one block after the other.
type rowSource struct {
	source  string
	n, cols int      // n is -1 when it is not known beforehand
	columns []string // names of the columns, nil where they have none
	single  bool     // read32 works; otherwise read64
	// read8, read32 and read64 fill whole rows and return how many; io.EOF comes with 0 rows.
	// read8 is nil unless the values are bytes, and then goes before the others.
	read8  func(dst []byte) (int, error)
	read32 func(dst []float32) (int, error)
	read64 func(dst []float64) (int, error)
	close  func()

	// parts hands out rows in place of read32 and read64, for several files.
	parts func(ctx context.Context, classes []string, block int,
		fn func(x *Table, labels []int, classes []string) error) error
	// fix sets options so that other files are read as this one was; nil where nothing is
	// to be decided.
	fix func(opt *OpenOptions)

	labels    func() (labelRows, error)                  // of the rows that are read, before keep; nil without labels
	survey    func(ctx context.Context) (*survey, error) // the first pass, where labels come with the rows
	labelFile string                                     // of labels that come from elsewhere
	names     []string                                   // fixed class names
	keep      []bool                                     // rows to hand out; nil means all
	image     [3]int                                     // of rows that are images, where nothing stands beside them
	axes      [3]int                                     // of rows that are images in an array
	why       string                                     // why there are no labels

	ids   func() []string // names of the rows read since the last call; nil where they have none
	named []string        // names of the rows of the block that is handed out; nil where they have none

	reading *Reading // what was decided, nil where nothing was
}

// prepare makes the first pass, checks the classes and tells what was decided.
func (s *rowSource) prepare(ctx context.Context, opt OpenOptions) (rows int, classes []string, err error) {
	seen, err := s.look(ctx)
	if err != nil {
		return 0, nil, err
	}
	if classes, err = s.classes(seen, opt); err != nil {
		return 0, nil, err
	}
	opt.tell(s.reading, seen.rows, len(classes))
	return seen.rows, classes, nil
}

// look is the first pass: how many rows are kept, and which labels there are. What it
// finds may change the columns.
func (s *rowSource) look(ctx context.Context) (*survey, error) {
	if s.survey != nil {
		return s.survey(ctx)
	}
	if s.labels == nil {
		return &survey{rows: s.kept()}, nil
	}
	in, err := s.labels()
	if err != nil {
		return nil, err
	}
	defer in.close()
	return surveyLabels(ctx, in, s.n, s.keep, s.miscounted)
}

// miscounted is the error for a file of labels of another number of rows.
func (s *rowSource) miscounted(labels int) error {
	return fmt.Errorf("%s: %d rows and %d labels in %s; every row needs one label", s.source, s.n, labels, s.labelFile)
}

// classes orders the labels.
func (s *rowSource) classes(seen *survey, opt OpenOptions) ([]string, error) {
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

// kept returns the number of rows that will be handed out, -1 when it is not known.
func (s *rowSource) kept() int {
	if s.keep == nil {
		return s.n
	}
	n := 0
	for _, k := range s.keep {
		if k {
			n++
		}
	}
	return n
}

// hand reads the rows and hands out the blocks. The next one is read while fn works on one.
func (s *rowSource) hand(ctx context.Context, classes []string, block int,
	fn func(x *Table, labels []int, classes []string) error) error {
	if s.parts != nil {
		return s.parts(ctx, classes, block, fn)
	}
	if s.cols < 1 {
		return fmt.Errorf("%s: observations without a single value", s.source)
	}
	r := &rowReader{src: s}
	if classes != nil {
		in, err := s.labels()
		if err != nil {
			return err
		}
		defer in.close()
		r.in, r.index = in, indexOf(classes)
	}
	any := false
	err := ahead([2]*rowBlock{{size: block}, {size: block}},
		func(b *rowBlock) error { return r.fill(ctx, b) },
		func(b *rowBlock) error {
			if b.filled == 0 {
				return nil
			}
			any = true
			s.named = b.ids // those read since are of the next block
			x, labels := b.rows()
			return fn(x, labels, classes)
		})
	if err == nil && !any {
		err = fmt.Errorf("%s: %w", s.source, errNothing)
	}
	return err
}

// errNothing is the error for a source, or a part of one, without a row.
var errNothing = errors.New("no observations in it")

// indexOf maps names to their places.
func indexOf(names []string) map[string]int {
	index := make(map[string]int, len(names))
	for i, name := range names {
		index[name] = i
	}
	return index
}

// rowReader reads the rows of a source, and their labels, block by block.
type rowReader struct {
	src   *rowSource
	in    labelRows      // nil without labels
	index map[string]int // of the classes
	row   int            // number of rows read
}

// rowBlock holds rows and their labels.
type rowBlock struct {
	x      *Table
	labels []int    // nil without labels
	ids    []string // names of the rows; nil where they have none
	size   int      // rows that x has room for
	filled int      // rows in x
}

// fill fills a block, or what of it the source still has, which ends with io.EOF.
func (r *rowReader) fill(ctx context.Context, b *rowBlock) error {
	err := r.fillRows(ctx, b)
	if r.src.ids != nil {
		b.ids = r.src.ids()
	}
	return err
}

func (r *rowReader) fillRows(ctx context.Context, b *rowBlock) error {
	s := r.src
	if b.x == nil {
		b.x = s.table(b.size)
		if r.in != nil {
			b.labels = make([]int, b.size)
		}
	}
	for b.filled = 0; b.filled < b.size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch err := r.read(b); {
		case err == nil:
		case err == io.EOF || strings.HasPrefix(err.Error(), s.source): // it names a line
			return err
		default:
			return fmt.Errorf("%s: after row %d: %w", s.source, r.row, err)
		}
	}
	return nil
}

// read reads rows to the free rows of the block.
func (r *rowReader) read(b *rowBlock) error {
	s := r.src
	var n int
	var err error
	switch {
	case s.read8 != nil:
		n, err = s.read8(b.x.pixels.bytes[b.filled*s.cols : b.size*s.cols])
	case s.single:
		n, err = s.read32(b.x.f32[b.filled*s.cols : b.size*s.cols])
	default:
		n, err = s.read64(b.x.f64[b.filled*s.cols : b.size*s.cols])
	}
	if err != nil {
		return err
	}
	from := b.filled
	for i := range n {
		label := -1
		if r.in != nil {
			if label, err = r.label(); err != nil {
				return err
			}
		}
		if s.keep != nil && !s.keep[r.row+i] {
			continue
		}
		if to := b.filled; to != from+i {
			b.x.moveRow(to, from+i)
		}
		if b.labels != nil {
			b.labels[b.filled] = label
		}
		b.filled++
	}
	r.row += n
	return nil
}

// table returns a table for rows of the source as they are read.
func (s *rowSource) table(rows int) *Table {
	switch n := rows * s.cols; {
	case s.read8 != nil:
		return NewTable8(rows, s.cols, make([]byte, n))
	case s.single:
		return NewTable32(rows, s.cols, make([]float32, n))
	default:
		return NewTable64(rows, s.cols, make([]float64, n))
	}
}

// label reads the class of the next row, -1 for that of a row that is not kept.
func (r *rowReader) label() (int, error) {
	name, err := r.in.next()
	if err == io.EOF {
		return 0, fmt.Errorf("the labels end before the rows; every row needs one label")
	}
	if err != nil {
		return 0, err
	}
	if k, ok := r.index[name]; ok {
		return k, nil
	}
	return -1, nil
}

// rows returns what the block holds, which is overwritten later.
func (b *rowBlock) rows() (*Table, []int) {
	x := b.x.Rows(0, b.filled)
	if b.labels == nil {
		return x, nil
	}
	return x, b.labels[:b.filled]
}

// setLabels takes a file of labels in place of those of the source.
func (s *rowSource) setLabels(opt OpenOptions) {
	if opt.Labels == "" {
		return
	}
	s.names, s.labelFile = nil, opt.Labels
	s.labels = func() (labelRows, error) {
		in, err := openLabels(opt.Labels)
		if err != nil || opt.Span.whole() {
			return in, err
		}
		return partOfLabels(in, opt.Span)
	}
}

// elements reads rows of an array element by element.
type elements interface {
	Uint8(dst []byte) error
	Float32(dst []float32) error
	Float64(dst []float64) error
	Drain() error // reads to the end, where compressed files keep a checksum
}

// ofElements makes a row source of an open array of a type, in C order.
func (s *rowSource) ofElements(e elements, of ndarray.Elem) *rowSource {
	left := s.n
	rows := func(have int) (int, error) {
		if left == 0 {
			if err := e.Drain(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		m := min(left, have/max(s.cols, 1))
		left -= m
		return m, nil
	}
	if of.Kind == 'u' && of.Size == 1 {
		s.read8 = func(dst []byte) (int, error) {
			m, err := rows(len(dst))
			if err != nil {
				return 0, err
			}
			return m, e.Uint8(dst[:m*s.cols])
		}
	}
	s.read32 = func(dst []float32) (int, error) {
		m, err := rows(len(dst))
		if err != nil {
			return 0, err
		}
		return m, e.Float32(dst[:m*s.cols])
	}
	s.read64 = func(dst []float64) (int, error) {
		m, err := rows(len(dst))
		if err != nil {
			return 0, err
		}
		return m, e.Float64(dst[:m*s.cols])
	}
	return s
}
