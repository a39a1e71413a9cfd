package dataset

import (
	"fmt"
	"io"
	"os"

	"rao"
	"rao/internal/format/gunzip"
	"rao/internal/format/npy"
	"rao/internal/format/table"
)

// partial reports whether only a part of the file is read.
func (o *OpenOptions) partial() bool { return o.Span != [2]int64{} }

// part returns the part to read, for messages.
func (o *OpenOptions) part() string { return fmt.Sprintf("%d:%d", o.Span[0], o.Span[1]) }

// within returns an error unless the part is within n rows or parts of a file.
func (o *OpenOptions) within(path string, n int64, what string) error {
	if from, to := o.Span[0], o.Span[1]; from < 0 || to <= from || to > n {
		return fmt.Errorf("%s: part %s is outside the file, which has %d %s; choose a part within the file", path,
			o.part(), n, what)
	}
	return nil
}

// Spans splits a file into parts of about size bytes, which [Stream] and [Blocks] can read separately; see
// OpenOptions.Span for their units. The parts depend only on the file and the size. A smaller file, or a file that
// can only be read from the start (npz and compressed files), gives one part, [0 0], which is the complete file.
func Spans(path string, size int64) ([][2]int64, error) {
	f, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if f.spans == nil || size < 1 || st.Size() <= size {
		return [][2]int64{{}}, nil
	}
	spans, err := f.spans(path, size)
	if err != nil || len(spans) < 2 {
		return [][2]int64{{}}, err
	}
	return spans, nil
}

// checkSpan returns an error if a part is requested of a file with a format that can only be read in full.
func (f *format) checkSpan(path string, opt *OpenOptions) error {
	switch {
	case !opt.partial():
	case f.spans == nil:
		return fmt.Errorf("%s: %s cannot be read in parts; tables, npy arrays and Parquet files can",
			path, f.name)
	case opt.Labels != "" && !f.labelSpans:
		return rao.Optionf("labels", "%s: {labels} names the labels of all rows, so it cannot be used with a part of "+
			"the file; store the labels in the file", path)
	}
	return nil
}

// oneFile returns an error if a part is requested of a source that is not a single file.
func (o *OpenOptions) oneFile(spec string) error {
	if !o.partial() {
		return nil
	}
	return fmt.Errorf("%s: part %s cannot be read, because the data are not a single file that can be streamed; read "+
		"all rows", spec, o.part())
}

// tableSpans splits a table between rows.
func tableSpans(path string, size int64) ([][2]int64, error) {
	g, err := gunzip.Open(path)
	if err != nil {
		return nil, err
	}
	g.Close()
	if g.Compressed {
		return nil, nil
	}
	splits, err := table.Splits(path, size)
	if err != nil {
		return nil, err
	}
	var spans [][2]int64
	from := int64(0)
	for _, to := range append(splits, g.Size) {
		spans = append(spans, [2]int64{from, to})
		from = to
	}
	return spans, nil
}

// npySpans splits an array between rows.
func npySpans(path string, size int64) ([][2]int64, error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !streamable(&openArray{f, f.Type, f.Shape, f.Fortran}, -1) || f.Bytes() == 0 {
		return nil, nil
	}
	n := f.Shape[0]
	step := max(1, size/(f.Bytes()/int64(n)))
	var spans [][2]int64
	for from := int64(0); from < int64(n); from += step {
		spans = append(spans, [2]int64{from, min(from+step, int64(n))})
	}
	return spans, nil
}

// partedColumns is a file of [Columns] with parts that can be read separately, like the row groups of Parquet.
type partedColumns interface {
	Columns
	Parts() []int64        // the size of each part in bytes
	Restrict(from, to int) // limits Rows and Read to the parts from to to-1
}

// columnSpans joins consecutive parts until they reach the size.
func columnSpans(open func(path string) (Columns, error)) func(path string, size int64) ([][2]int64, error) {
	return func(path string, size int64) ([][2]int64, error) {
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		p, ok := f.(partedColumns)
		if !ok {
			return nil, nil
		}
		var spans [][2]int64
		room := int64(0)
		for i, n := range p.Parts() {
			if i == 0 || n > room {
				spans = append(spans, [2]int64{int64(i)})
				room = size
			}
			spans[len(spans)-1][1] = int64(i) + 1
			room -= n
		}
		return spans, nil
	}
}

// restrict limits a file of columns to the part in the options.
func (o *OpenOptions) restrict(path string, f Columns) error {
	if !o.partial() {
		return nil
	}
	p, ok := f.(partedColumns)
	if !ok {
		return fmt.Errorf("%s: this file cannot be read in parts; tables, npy arrays and Parquet files can", path)
	}
	if err := o.within(path, int64(len(p.Parts())), "row groups"); err != nil {
		return err
	}
	p.Restrict(int(o.Span[0]), int(o.Span[1]))
	return nil
}

// partOfLabels returns the labels of a part of the rows. It does not read earlier labels of an array.
func partOfLabels(in labelRows, part [2]int64) (labelRows, error) {
	if named, ok := in.(*namedLabels); ok {
		if array, ok := named.labelRows.(*arrayLabels); ok {
			if done, err := array.restrict(part); done || err != nil {
				if err != nil {
					in.close()
				}
				return in, err
			}
		}
	}
	return &labelSpan{in, part[0], part[1] - part[0]}, nil
}

type labelSpan struct {
	labelRows
	skip, left int64
}

func (l *labelSpan) next() (string, error) {
	for ; l.skip > 0; l.skip-- {
		if _, err := l.labelRows.next(); err != nil {
			return "", err
		}
	}
	if l.left--; l.left < 0 {
		return "", io.EOF
	}
	return l.labelRows.next()
}
