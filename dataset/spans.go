package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"rao"
	"rao/internal/format/gunzip"
	"rao/internal/format/npy"
	"rao/internal/format/table"
)

// Span is a part of a file, from From up to but not including To: rows of an npy array, row groups of a Parquet file,
// or the rows of a table that start in this range of bytes. The zero Span is the complete file.
type Span struct{ From, To int64 }

// String returns FROM:TO, or "" for the complete file.
func (s Span) String() string {
	if s.all() {
		return ""
	}
	return fmt.Sprintf("%d:%d", s.From, s.To)
}

// UnmarshalText parses FROM:TO. It returns an error unless 0 ≤ FROM < TO.
func (s *Span) UnmarshalText(text []byte) error {
	from, to, ok := strings.Cut(string(text), ":")
	a, err1 := strconv.ParseInt(from, 10, 64)
	b, err2 := strconv.ParseInt(to, 10, 64)
	if !ok || err1 != nil || err2 != nil || a < 0 || b <= a {
		return errors.New("it must be FROM:TO with two increasing whole numbers, such as 0:1000")
	}
	*s = Span{a, b}
	return nil
}

func (s Span) all() bool { return s == Span{} }

// within returns an error unless the span is within n rows or parts of a file.
func (s Span) within(path string, n int64, what string) error {
	if s.From < 0 || s.To <= s.From || s.To > n {
		return fmt.Errorf("%s: part %d:%d is outside the file, which has %d %s; choose a part within the file", path,
			s.From, s.To, n, what)
	}
	return nil
}

// Spans splits a file into parts of about size bytes, which [Stream] and [Blocks] can read separately; see
// OpenOptions.Span. The parts depend only on the file and the size. A smaller file, or a file that can only be read
// from the start (npz and compressed files), gives one zero Span.
func Spans(path string, size int64) ([]Span, error) {
	f, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if f.spans == nil || size < 1 || st.Size() <= size {
		return []Span{{}}, nil
	}
	spans, err := f.spans(path, size)
	if err != nil || len(spans) < 2 {
		return []Span{{}}, err
	}
	return spans, nil
}

// checkSpan returns an error if a part is requested of a file with a format that can only be read in full.
func (f *format) checkSpan(path string, opt *OpenOptions) error {
	switch {
	case opt.Span.all():
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
func (s Span) oneFile(spec string) error {
	if s.all() {
		return nil
	}
	return fmt.Errorf("%s: part %v cannot be read, because the data are not a single file that can be streamed; read "+
		"all rows", spec, s)
}

// tableSpans splits a table between rows.
func tableSpans(path string, size int64) ([]Span, error) {
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
	var spans []Span
	from := int64(0)
	for _, to := range append(splits, g.Size) {
		spans = append(spans, Span{from, to})
		from = to
	}
	return spans, nil
}

// npySpans splits an array between rows.
func npySpans(path string, size int64) ([]Span, error) {
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
	var spans []Span
	for from := int64(0); from < int64(n); from += step {
		spans = append(spans, Span{from, min(from+step, int64(n))})
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
func columnSpans(open func(path string) (Columns, error)) func(path string, size int64) ([]Span, error) {
	return func(path string, size int64) ([]Span, error) {
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		p, ok := f.(partedColumns)
		if !ok {
			return nil, nil
		}
		var spans []Span
		room := int64(0)
		for i, n := range p.Parts() {
			if i == 0 || n > room {
				spans = append(spans, Span{From: int64(i)})
				room = size
			}
			spans[len(spans)-1].To = int64(i) + 1
			room -= n
		}
		return spans, nil
	}
}

// restrict limits a file of columns to the part in the options.
func (s Span) restrict(path string, f Columns) error {
	if s.all() {
		return nil
	}
	p, ok := f.(partedColumns)
	if !ok {
		return fmt.Errorf("%s: this file cannot be read in parts; tables, npy arrays and Parquet files can", path)
	}
	if err := s.within(path, int64(len(p.Parts())), "row groups"); err != nil {
		return err
	}
	p.Restrict(int(s.From), int(s.To))
	return nil
}

// partOfLabels returns the labels of a part of the rows. It does not read earlier labels of an array.
func partOfLabels(in labelRows, part Span) (labelRows, error) {
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
	return &labelSpan{in, part.From, part.To - part.From}, nil
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
