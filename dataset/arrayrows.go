package dataset

import (
	"context"
	"fmt"
	"io"
	"slices"

	"rao"
	"rao/internal/format/cifar"
	"rao/internal/format/gunzip"
	"rao/internal/format/idx"
	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
)

// elements reads rows of an array element by element.
type elements interface {
	Uint8(dst []byte) error
	Float32(dst []float32) error
	Float64(dst []float64) error
	Drain() error // reads to the end, where compressed files have a checksum
}

// openArray is a numeric array of a file that is read sequentially.
type openArray struct {
	arrayReader
	of      ndarray.Elem
	shape   []int
	fortran bool
}

type arrayReader interface {
	elements
	arrayStream
	Ahead() int // number of elements for which memory may be allocated before they are read
}

// arrayRows is a source with a known number of rows and labels that are read separately: arrays, and images.
type arrayRows struct {
	rowInfo
	n     int
	shape []int  // shape of the array, observations first
	size  [3]int // rows, columns and channels, if the file declares images
	early bool   // rows may be used while others are still being read; see OpenWith
	in    elements
	free  func()

	name      string                 // name of the array, if it has one
	readAll   func() (*Array, error) // reads an array that is not read row by row, and is nil for others
	variables func(r *raw) error     // reads the labels and variables of the file for all rows; may be nil
	begin     func() error           // checks the labels and picks the rows of a stream; may be nil

	labels    func() (labelRows, error) // labels of all rows, before keep; nil without labels
	labelFile string                    // file of the labels, if it is a different file
	keep      []bool                    // rows to return; nil means all
	where     []string                  // conditions on names that are not variables

	row  int       // number of rows read so far
	open labelRows // nil before the first row
}

// arrayInRows returns the rows of an array, or uses read for an array that is not read row by row. labels is the
// number of labels: 0 if unknown, and -1 if they are in another file.
func arrayInRows(path string, in *openArray, labels int, read func() (*Array, error), free func()) *arrayRows {
	if streamable(in, labels) {
		return newArrayRows(path, in, free)
	}
	return &arrayRows{rowInfo: rowInfo{source: path}, free: free, readAll: read}
}

// newArrayRows returns the rows of an array, along its first axis, or the last one of a column-major array.
func newArrayRows(path string, in *openArray, free func()) *arrayRows {
	a := &arrayRows{rowInfo: rowInfo{source: path, cols: 1, kind: float64s}, in: in, free: free}
	a.shape = in.shape
	if in.fortran {
		last := len(in.shape) - 1
		a.shape = append([]int{in.shape[last]}, in.shape[:last]...)
		a.in = blocks{in, columnMajor(in.shape[:last])}
	}
	a.n = a.shape[0]
	switch {
	case in.of.Kind == 'u' && in.of.Size == 1:
		a.kind = bytes8
	case in.of.Narrow():
		a.kind = float32s
	}
	for _, d := range a.shape[1:] {
		a.cols *= d
	}
	a.expect = min(a.n, in.Ahead()/max(1, a.cols))
	return a
}

// blocks are the elements of a column-major array, with one observation for each index of its last axis, in row-major
// order.
type blocks struct {
	elements
	order []int
}

// Uint8 implements elements.
func (b blocks) Uint8(dst []byte) error { return inOrder(dst, b.order, b.elements.Uint8) }

// Float32 implements elements.
func (b blocks) Float32(dst []float32) error { return inOrder(dst, b.order, b.elements.Float32) }

// Float64 implements elements.
func (b blocks) Float64(dst []float64) error { return inOrder(dst, b.order, b.elements.Float64) }

func inOrder[T any](dst []T, order []int, read func([]T) error) error {
	err := read(dst)
	copy(dst, reorder(dst, order, len(dst)/max(1, len(order))))
	return err
}

// with applies the labels in the options to the source. It passes on err and a nil source.
func (a *arrayRows) with(opt *OpenOptions, err error) (source, error) {
	if a == nil || err != nil {
		return nil, err
	}
	if opt.Labels != "" {
		part, all := opt.Span, !opt.partial()
		a.names, a.labelFile = nil, opt.Labels
		a.labels = func() (labelRows, error) {
			in, err := openLabels(a.labelFile)
			if err != nil || all {
				return in, err
			}
			return partOfLabels(in, part)
		}
	} else if opt.Y == noLabels {
		a.names, a.labels = nil, nil
	}
	return a, nil
}

func (a *arrayRows) close() {
	if a.open != nil {
		a.open.close()
	}
	a.free()
}

// survey implements source.
func (a *arrayRows) survey(ctx context.Context) (*survey, error) {
	if len(a.where) > 0 {
		return nil, rao.Optionf("where", "%s: {where} selects rows by a variable, but the data have no variables; "+
			"leave it out", a.source)
	}
	if a.labels == nil {
		return &survey{rows: a.kept()}, nil
	}
	in, err := a.labels()
	if err != nil {
		return nil, err
	}
	defer in.close()
	return a.surveyLabels(ctx, in)
}

// kept returns the number of selected rows.
func (a *arrayRows) kept() int {
	if a.keep == nil {
		return a.n
	}
	return indices.Count(a.keep, func(k bool) bool { return k })
}

// read implements source.
func (a *arrayRows) read(ctx context.Context, b *rowBlock) error {
	for b.filled < b.size {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.next(b); err == io.EOF {
			return err
		} else if err != nil {
			return fmt.Errorf("%s: after row %d: %w", a.source, a.row, err)
		}
	}
	return nil
}

// next reads rows into the free rows of the block.
func (a *arrayRows) next(b *rowBlock) error {
	if a.row == a.n {
		if err := a.in.Drain(); err != nil {
			return err
		}
		return io.EOF
	}
	from := b.filled
	n := min(a.n-a.row, b.size-from, arriving)
	if err := b.x.Rows(from, from+n).decode(a.in); err != nil {
		return err
	}
	if a.labels != nil && a.open == nil {
		var err error
		if a.open, err = a.labels(); err != nil {
			return err
		}
	}
	for i := range n {
		label, err := a.label()
		if err != nil {
			return err
		}
		if a.keep != nil && !a.keep[a.row+i] {
			continue
		}
		if a.open != nil {
			b.names = append(b.names, label)
		}
		b.add(from + i)
	}
	a.row += n
	return nil
}

func (a *arrayRows) label() (string, error) {
	if a.open == nil {
		return "", nil
	}
	name, err := a.open.next()
	if err == io.EOF {
		err = fmt.Errorf("there are fewer labels than rows; every row needs one label")
	}
	return name, err
}

// settle implements source. The shape is the shape of the array. Labels in another file, and conditions, remain to be
// applied.
func (a *arrayRows) settle(r *raw, _ *rowBlock) error {
	if r.image = a.size; a.size == [3]int{} && a.readAll == nil {
		r.x.Shape = a.shape
	}
	if a.name != "" {
		r.x.Name = a.name
	}
	if a.variables == nil {
		return nil
	}
	return a.variables(r)
}

// stream prepares the reading of the rows one block at a time.
func (a *arrayRows) stream(where []string) error {
	if a.begin == nil {
		a.where = where
		return nil
	}
	return a.begin()
}

// readWhole reads an array that is not read row by row.
func (a *arrayRows) readWhole() (*raw, error) {
	x, err := a.readAll()
	if err != nil {
		return nil, err
	}
	r := &raw{source: a.source, x: x}
	return r, a.settle(r, nil)
}

// collected records that all rows go to one [raw], to which labels and conditions are applied later.
func (a *arrayRows) collected() {
	if a.labelFile != "" || a.variables != nil {
		a.labels = nil
	}
}

// fix implements source. Arrays have nothing to fix.
func (a *arrayRows) fix(*OpenOptions) {}

// images returns the numbers of rows, columns and channels of the images, or zeros if the rows are not images.
func (a *arrayRows) images() [3]int {
	switch {
	case a.size != [3]int{}:
		return a.size
	case len(a.shape) == 3:
		return [3]int{a.shape[1], a.shape[2], 1}
	case len(a.shape) == 4:
		return [3]int(a.shape[1:])
	}
	return [3]int{}
}

// decode reads the values of the table from in, in the element type of the table.
func (t *Table) decode(in elements) error {
	switch {
	case t.kind == bytes8:
		return in.Uint8(t.u8)
	case t.kind == float32s:
		return in.Float32(t.f32)
	default:
		return in.Float64(t.f64)
	}
}

// streamable reports whether an array is read row by row: it must be numeric, with the observations along the slowest
// axis, and must not have the shape of a stack of matrices. Three axes of small integers are images.
func streamable(in *openArray, labels int) bool {
	axes := len(in.shape)
	if in.of.Text() || slices.Contains(in.shape, 0) || axes < 2 || axes > 4 ||
		axes == 3 && (in.of.Kind == 'f' || !in.of.Narrow()) {
		return false
	}
	if axes == 2 || labels < 0 {
		return !in.fortran
	}
	return observationsLast(&Array{Shape: in.shape, Fortran: in.fortran}, labels) == in.fortran
}

func npyRows(path string, opt *OpenOptions) (*arrayRows, error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	labels := 0
	if opt.partial() || opt.Labels != "" {
		labels = -1
	}
	in := &openArray{f, f.Type, f.Shape, f.Fortran}
	if opt.partial() && streamable(in, labels) {
		if err = opt.within(path, int64(f.Shape[0]), "rows"); err == nil {
			err = f.Rows(opt.Span[0], opt.Span[1])
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		in.shape = f.Shape
	}
	a := arrayInRows(path, in, labels, func() (*Array, error) { return npy.ReadFile(path) }, func() { f.Close() })
	a.name = "array" // the only array, for error messages
	return a, nil
}

// idxRows reads IDX observations, which are images if there are three axes. If no file of labels is given, idxRows uses
// the file with the corresponding MNIST name, if it exists.
func idxRows(path string, opt *OpenOptions) (*arrayRows, error) {
	pairLabels(path, opt)
	f, err := idx.Open(path)
	if err != nil {
		return nil, err
	}
	a := newArrayRows(path, &openArray{f, f.Elem, f.Shape, false}, func() { f.Close() })
	if len(f.Shape) == 3 {
		a.size, a.early = a.images(), a.expect == a.n
	}
	return a, nil
}

// singles reads the next elements of rows as float32.
type singles func(dst []float32) error

// Uint8 implements elements.
func (singles) Uint8([]byte) error {
	return fmt.Errorf("the values are floating-point numbers, but bytes are needed")
}

// Float32 implements elements.
func (s singles) Float32(dst []float32) error { return s(dst) }

// Float64 implements elements.
func (s singles) Float64(dst []float64) error {
	values := make([]float32, len(dst))
	err := s(values)
	vec.Widen(dst, values)
	return err
}

// Drain implements elements.
func (singles) Drain() error { return nil }

// newImageRows returns the rows of images with the same size and known labels.
func newImageRows(path string, in singles, size [3]int, labels []string, free func()) *arrayRows {
	return &arrayRows{
		rowInfo: rowInfo{source: path, cols: size[0] * size[1] * size[2], kind: float32s, expect: len(labels)},
		n:       len(labels), size: size, in: in, free: free,
		labels: func() (labelRows, error) { return &heldLabels{labels}, nil }}
}

// cifarRows returns the rows of a CIFAR file. It reads the labels in a first pass.
func cifarRows(path string) (*arrayRows, error) {
	labels, err := cifarLabels(path)
	if err != nil {
		return nil, err
	}
	f, err := gunzip.Open(path)
	if err != nil {
		return nil, err
	}
	records := cifar.NewReader(f)
	a := newImageRows(path, func(dst []float32) error {
		for ; len(dst) > 0; dst = dst[cifar.Pixels:] {
			if _, err := records.Next(dst); err == io.EOF {
				return io.ErrUnexpectedEOF
			} else if err != nil {
				return err
			}
		}
		return nil
	}, [3]int{cifar.Side, cifar.Side, 3}, labels, func() { f.Close() })
	a.names, a.early = cifar.Names[:], true
	return a, nil
}

func cifarLabels(path string) ([]string, error) {
	f, err := gunzip.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var labels []string
	records := cifar.NewReader(f)
	for {
		label, err := records.Next(nil)
		if err == io.EOF {
			return labels, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		labels = append(labels, cifar.Names[label])
	}
}

// folderRows returns the rows of a folder of class folders with images. All images have one size. They are gray if all
// files are gray, and RGB otherwise, with values 0-255.
func folderRows(path string) (*arrayRows, error) {
	files, left, err := listImages(path)
	if err != nil {
		return nil, err
	}
	size, err := commonShape(files)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(files))
	for i, f := range files {
		labels[i] = f.class
	}
	pixels := size[0] * size[1] * size[2]
	a := newImageRows(path, func(dst []float32) error {
		n := len(dst) / pixels
		err := readImages(dst, files[:n], size)
		files = files[n:]
		return err
	}, size, labels, func() {})
	a.reading = folderReading(path, left)
	return a, nil
}
