package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"rao"
	"rao/internal/text"
)

// manySource reads several files of the same form, one after the other.
type manySource struct {
	rowInfo
	files     []string
	opt       OpenOptions // options for later files, as determined by the first
	unlabeled bool        // the first file has no labels

	next  int    // index of the next file
	now   source // current file; nil between files
	order []int  // order of its columns
}

// manyRows opens several files as one stream. It returns nil if they cannot be streamed.
func manyRows(ctx context.Context, spec string, files []string, opt OpenOptions) (source, error) {
	if err := noLabelFile(spec, files, opt); err != nil {
		return nil, err
	}
	first, err := openRows(ctx, files[0], &opt)
	if first == nil || err != nil {
		return nil, err
	}
	first.close()
	return &manySource{rowInfo: rowInfo{source: spec}, files: files, opt: opt}, nil
}

// noLabelFile returns an error if a file of labels is given for several files.
func noLabelFile(spec string, files []string, opt OpenOptions) error {
	if opt.Labels != "" {
		return rao.Optionf("labels",
			"%s: {labels} works with only one file of data, but there are %d; store the labels in the data files",
			spec, len(files))
	}
	return nil
}

// openPart opens one of the files. It returns an error if rows of its format cannot be streamed.
func (m *manySource) openPart(ctx context.Context, file string) (source, error) {
	s, err := openRows(ctx, file, &m.opt)
	if s == nil && err == nil {
		err = fmt.Errorf("%s: several files of this format cannot be read together; give only one", file)
	}
	return s, err
}

// survey implements source: it reads the labels of all files, and compares the columns.
func (m *manySource) survey(ctx context.Context) (*survey, error) {
	all := &survey{}
	var labels distinct
	for i, file := range m.files {
		f, err := m.openPart(ctx, file)
		if err != nil {
			return nil, err
		}
		seen, err := f.survey(ctx)
		if err == nil {
			if i == 0 {
				m.first(f, seen)
			}
			err = m.compare(file, f.known(), seen)
		}
		f.close()
		if err != nil {
			return nil, err
		}
		all.rows += max(seen.rows, 0)
		for _, name := range seen.names {
			labels.add(name)
		}
	}
	all.names = labels.names
	return all, nil
}

// first adopts the decisions made for the first file, and applies them to the files after it.
func (m *manySource) first(f source, seen *survey) {
	spec := m.source
	m.rowInfo = *f.known()
	reading := &Reading{}
	if m.reading != nil {
		*reading = *m.reading
	}
	reading.Source, reading.Files = spec, m.files
	m.source, m.reading = spec, reading
	m.unlabeled = seen.names == nil
	f.fix(&m.opt)
}

// compare returns an error unless a file has the same form as the first.
func (m *manySource) compare(file string, f *rowInfo, seen *survey) error {
	if _, err := orderOf(m.columns, f.columns, m.cols, f.cols); err != nil {
		return fmt.Errorf("%s and %s: %w", m.files[0], file, err)
	}
	if (seen.names == nil) != m.unlabeled {
		return fmt.Errorf("%s and %s: only one of them has labels; give labels to both, or to neither",
			m.files[0], file)
	}
	m.kind = max(m.kind, f.kind)
	return nil
}

// read implements source. A block ends at the end of a file.
func (m *manySource) read(ctx context.Context, b *rowBlock) error {
	for b.filled == 0 {
		if m.now == nil {
			if m.next == len(m.files) {
				return io.EOF
			}
			if err := m.openNext(ctx); err != nil {
				return err
			}
		}
		err := m.now.read(ctx, b)
		if err != nil && err != io.EOF {
			return err
		}
		if m.order != nil {
			x := b.x.Rows(0, b.filled).inOrder(m.order)
			b.x.setRow(0, x, 0, b.filled)
		}
		if err == io.EOF {
			m.close()
		}
	}
	return nil
}

// openNext opens the next file and matches its columns with the columns of the first file by name.
func (m *manySource) openNext(ctx context.Context) (err error) {
	file := m.files[m.next]
	m.next++
	if m.now, err = m.openPart(ctx, file); err != nil {
		return err
	}
	f := m.now.known()
	if m.order, err = orderOf(m.columns, f.columns, m.cols, f.cols); err != nil {
		return fmt.Errorf("%s and %s: %w", m.files[0], file, err)
	}
	return nil
}

func (m *manySource) close() {
	if m.now != nil {
		m.now.close()
		m.now = nil
	}
}

// settle implements source. It does nothing, because several files are never read without a survey.
func (m *manySource) settle(*raw, *rowBlock) error { return nil }

// fix implements source.
func (m *manySource) fix(opt *OpenOptions) { *opt = m.opt }

// orderOf returns the indices in got of the columns of want, or nil if they are already in order.
func orderOf(want, got []string, n, m int) ([]int, error) {
	switch {
	case n != m:
		return nil, fmt.Errorf("the first has %s, but the second has %d; files that are read together must have "+
			"the same columns%s", text.Plural(n, "column", "columns"), m, difference(want, got))
	case want == nil && got == nil || slices.Equal(want, got):
		return nil, nil
	case want == nil || got == nil:
		return nil, errors.New("only one of them has column names; give the same names to both, or to neither")
	}
	order := make([]int, n)
	for i, name := range want {
		if order[i] = slices.Index(got, name); order[i] < 0 {
			return nil, fmt.Errorf("column %q is only in the first; files that are read together must have the same "+
				"columns", name)
		}
	}
	return order, nil
}

// orderFor returns the indices of the wanted columns in a source, or nil if they are already in order or none are
// wanted.
func orderFor(want []string, s *rowInfo) ([]int, error) {
	if want == nil {
		return nil, nil
	}
	order, err := orderOf(want, s.columns, len(want), s.cols)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.source, err)
	}
	return order, nil
}

// difference lists the columns that only one of two lists has.
func difference(a, b []string) string {
	var only []string
	for _, pair := range [][2][]string{{a, b}, {b, a}} {
		for _, name := range pair[0] {
			if !slices.Contains(pair[1], name) {
				only = append(only, name)
			}
		}
	}
	if only == nil {
		return ""
	}
	return "; only one of them has " + strings.Join(only[:min(len(only), shownColumns)], ", ")
}

// openMany reads several files completely, as one data set. It does not collect the rows of a [manySource], because
// matrices, and variables other than columns, are not rows.
func openMany(ctx context.Context, spec string, files []string, opt OpenOptions) (*Data, error) {
	if err := noLabelFile(spec, files, opt); err != nil {
		return nil, err
	}
	onReading := opt.OnReading
	reading := &Reading{Files: files}
	opt.OnReading = func(r *Reading) { *reading = *r }
	parts := make([]*Data, len(files))
	for i, file := range files {
		var err error
		if parts[i], err = openPath(ctx, file, opt); err != nil {
			return nil, err
		}
		if opt.OnReading = nil; i == 0 && len(files) > 1 {
			if err := opt.resolve(ctx, file); err != nil {
				return nil, err
			}
		}
	}
	all, err := join(parts)
	if err != nil {
		return nil, err
	}
	all.Source, reading.Source, reading.Files = spec, spec, files
	opt.OnReading = onReading
	opt.report(reading, all.N(), all.Classes)
	return all, nil
}

// resolve opens a file and sets the options that depend on it: the label column, the names of the columns and, for a
// text table, the delimiter, whether it has a header, and the columns to leave out. It changes nothing for a file that
// cannot be streamed. Other files opened with these options are read in the same way or rejected; see
// OpenOptions.Columns.
func (o *OpenOptions) resolve(ctx context.Context, path string) error {
	s, err := openRows(ctx, path, o)
	if s == nil || err != nil {
		return err
	}
	defer s.close()
	seen, err := s.survey(ctx)
	if err != nil {
		return err
	}
	if _, err := s.known().classes(seen, *o); err != nil {
		return err
	}
	s.fix(o)
	o.Columns = s.known().columns
	return nil
}
