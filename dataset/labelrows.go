package dataset

import (
	"context"
	"fmt"
	"io"

	"rao/internal/format/idx"
	"rao/internal/format/npy"
	"rao/internal/format/table"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/text"
)

// labelRows returns labels, one per row, in canonical form.
type labelRows interface {
	next() (string, error) // io.EOF after the last
	close()
}

// labelFile reads a file of labels, one for each row of another file.
type labelFile struct {
	labelRows
	path         string
	rows, labels int // counts so far
}

func openLabelFile(path string) (*labelFile, error) {
	in, err := openLabels(path)
	return &labelFile{labelRows: in, path: path}, err
}

// next returns the label of the next row, or "" if the file has no more labels, which finish reports.
func (f *labelFile) next() (string, error) {
	f.rows++
	label, err := f.labelRows.next()
	if err == io.EOF {
		return "", nil
	}
	f.labels++
	return label, err
}

// finish returns an error unless the file has exactly one label for each row of the source.
func (f *labelFile) finish(source string) error {
	for {
		if _, err := f.labelRows.next(); err == io.EOF {
			return miscounted(source, nil, f.rows, f.labels, f.path)
		} else if err != nil {
			return err
		}
		f.labels++
	}
}

// labelBlock is the number of labels of an array that are read at a time.
const labelBlock = 8192

type arrayStream interface {
	Next(n int) (*Array, error)
	Drain() error
	Close() error
}

type arrayLabels struct {
	in    arrayStream
	block *Array
	at    int // index in the block
	row   int
	seen  map[int64]string // cached integer labels, because there are many but few different ones
}

// newArrayLabels reads labels from an open array with the given name and shape. It closes the array if it fails, or
// when it is closed.
func newArrayLabels(in arrayStream, name string, shape []int) (*arrayLabels, error) {
	if err := oneAxis(name, shape); err != nil {
		in.Close()
		return nil, err
	}
	return &arrayLabels{in: in, block: &Array{}, seen: map[int64]string{}}, nil
}

func (l *arrayLabels) close() { l.in.Close() }

// restrict limits the labels to a part of the rows and returns true if the array can be read from any position.
func (l *arrayLabels) restrict(part [2]int64) (bool, error) {
	f, ok := l.in.(*npy.File)
	if !ok || len(f.Shape) != 1 || f.Fortran {
		return false, nil
	}
	if n := int64(f.Shape[0]); part[1] > n {
		return false, fmt.Errorf("there are %d labels, but the part ends at row %d; every row needs one label",
			n, part[1])
	}
	l.row = int(part[0])
	return true, f.Rows(part[0], part[1])
}

func (l *arrayLabels) next() (string, error) {
	if l.at == l.block.Len() {
		var err error
		if l.block, err = l.in.Next(labelBlock); err != nil {
			return "", err
		}
		if l.at = 0; l.block.Len() == 0 {
			if err := l.in.Drain(); err != nil {
				return "", err
			}
			return "", io.EOF
		}
	}
	i := l.at
	l.at++
	l.row++
	if l.block.Int64 == nil {
		return labelOfArray(l.block, i, l.row-1)
	}
	v := l.block.Int64[i]
	name, ok := l.seen[v]
	if !ok {
		name = labelText(l.block.Text(i))
		if len(l.seen) < labelBlock {
			l.seen[v] = name
		}
	}
	return name, nil
}

// labelOfArray returns element i of an array as the label of the given row.
func labelOfArray(a *Array, i, row int) (string, error) {
	if a.Strings == nil {
		if v := a.Value(i); !vec.Finite(v) {
			return "", fmt.Errorf("the label of row %d is %v; give every row a label or remove it", row, v)
		}
	}
	name := labelText(a.Text(i))
	if name == "" {
		return "", fmt.Errorf("the label of row %d is empty; give every row a label or remove it", row)
	}
	return name, nil
}

// oneAxis returns an error unless labels of this shape are one per observation.
func oneAxis(name string, shape []int) error {
	long := indices.Count(shape, func(d int) bool { return d != 1 })
	if long > 1 {
		if name != "" {
			name = fmt.Sprintf(" %q", name)
		}
		return fmt.Errorf("the array of labels%s has the shape %s; it must have one axis, with one label per "+
			"observation",
			name, text.Shape(shape))
	}
	return nil
}

// columnLabels reads the labels of a text file of one column.
type columnLabels struct {
	t    *table.Reader
	path string
}

func (l *columnLabels) close() { l.t.Close() }

func (l *columnLabels) next() (string, error) {
	fields, err := l.t.Next()
	if err != nil {
		return "", err
	}
	label := labelText(string(fields[0]))
	if label == "" {
		return "", fmt.Errorf("%s: line %d has no label; give every row a label or remove it", l.path, l.t.Line())
	}
	return label, nil
}

func openNpyLabels(path string) (labelRows, error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	return fileLabels(path, f, "", f.Shape)
}

func openIdxLabels(path string) (labelRows, error) {
	f, err := idx.Open(path)
	if err != nil {
		return nil, err
	}
	return fileLabels(path, f, "", f.Shape)
}

func openColumnLabels(path string) (labelRows, error) {
	t, err := table.Open(path, table.Options{})
	if err != nil {
		return nil, err
	}
	if len(t.Columns) != 1 {
		t.Close()
		return nil, fmt.Errorf("%s: a file of labels must have one column, but this file has %d", path, len(t.Columns))
	}
	return &columnLabels{t, path}, nil
}

// fileLabels reads labels from an array in a file. Errors name the file.
func fileLabels(path string, in arrayStream, name string, shape []int) (labelRows, error) {
	l, err := newArrayLabels(in, name, shape)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &namedLabels{l, path}, nil
}

// namedLabels adds the name of the file to errors.
type namedLabels struct {
	labelRows
	path string
}

func (l *namedLabels) next() (string, error) {
	name, err := l.labelRows.next()
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", l.path, err)
	}
	return name, err
}

// openLabels opens a file of labels: IDX, npy, or text with one label per line; IDX and text may be compressed.
func openLabels(path string) (labelRows, error) {
	f, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	if f.labels == nil {
		return nil, fmt.Errorf("%s: labels cannot be read from this format; give an IDX file, an npy file, or text "+
			"with one label per line", path)
	}
	return f.labels(path)
}

func readLabels(path string) ([]string, error) {
	in, err := openLabels(path)
	if err != nil {
		return nil, err
	}
	defer in.close()
	var names []string
	for {
		name, err := in.next()
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
}

type heldLabels struct{ names []string }

func (h *heldLabels) close() {}

func (h *heldLabels) next() (string, error) {
	if len(h.names) == 0 {
		return "", io.EOF
	}
	name := h.names[0]
	h.names = h.names[1:]
	return name, nil
}

// survey is the result of a first pass over the labels.
type survey struct {
	rows  int            // number of selected rows; -1 if unknown
	names []string       // the different labels, nil without labels
	empty map[string]int // number of rows without a value, for each text column
}

// distinct collects different labels in order of first occurrence.
type distinct struct {
	seen  map[string]struct{}
	names []string
	last  string // the label that was added last
}

func (d *distinct) add(name string) {
	if len(d.names) > 0 && name == d.last { // often the same as in the previous row
		return
	}
	d.last = name
	if _, ok := d.seen[name]; ok {
		return
	}
	if d.seen == nil {
		d.seen = map[string]struct{}{}
	}
	d.seen[name] = struct{}{}
	d.names = append(d.names, name)
}

// surveyLabels reads the labels of the rows. It returns an error unless there is one for each row.
func (a *arrayRows) surveyLabels(ctx context.Context, in labelRows) (*survey, error) {
	var d distinct
	s := &survey{}
	for row := 0; ; row++ {
		if row%labelBlock == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		name, err := in.next()
		if err == io.EOF {
			s.names = d.names
			return s, miscounted(a.source, a.shape, a.n, row, a.labelFile)
		}
		if err != nil {
			return nil, err
		}
		if a.keep == nil || row < len(a.keep) && a.keep[row] {
			s.rows++
			d.add(name)
		}
	}
}
