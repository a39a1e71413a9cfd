package dataset

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// textRows reads the labels of a table in a first pass, and its rows in a second.
func textRows(ctx context.Context, path string, opt OpenOptions) (*rowSource, error) {
	rows, err := openTable(path, &opt)
	if err != nil {
		return nil, err
	}
	t := &textSource{path: path, opt: opt, rows: rows}
	t.s = &rowSource{source: path, n: -1, survey: t.survey, read64: t.read, close: t.close,
		labels: func() (labelRows, error) { return &t.queue, nil }, fix: t.fix}
	t.s.cols, _ = rows.plan.size()
	t.s.columns = rows.plan.featureNames()
	if rows.plan.id >= 0 {
		t.s.ids = t.takeIDs
	}
	return t.s, nil
}

// textSource is a table that is read as it goes.
type textSource struct {
	s     *rowSource
	path  string
	opt   OpenOptions
	rows  *tableRows
	queue labelQueue // of the rows that were read
	y     []string   // the memory of the queue
	ids   []string   // of the rows that were read
}

// takeIDs returns the names of the rows that were read since the last call.
func (t *textSource) takeIDs() []string {
	ids := t.ids
	t.ids = nil
	return ids
}

func (t *textSource) close() { t.rows.close() }

// read fills rows of dst with those that meet the conditions, and the queue with their
// labels.
func (t *textSource) read(dst []float64) (int, error) {
	t.y = t.y[:0]
	defer func() { t.queue.names = t.y }()
	cols := t.s.cols
	n, want := 0, len(dst)/cols
	for n < want {
		fields, keep, err := t.rows.next(dst[n*cols : (n+1)*cols])
		if err == io.EOF && n > 0 {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		if !keep {
			continue
		}
		t.y = append(t.y, t.rows.label)
		if id := t.rows.plan.id; id >= 0 {
			t.ids = append(t.ids, string(fields[id]))
		}
		n++
	}
	return n, nil
}

// survey reads the labels of the rows that meet the conditions, decides on the columns,
// and begins the table anew.
func (t *textSource) survey(ctx context.Context) (*survey, error) {
	rows := t.rows
	rows.watchUnlessKnown()
	seen := &survey{}
	var labels distinct
	n := 0
	for ; ; n++ {
		fields, keep, err := rows.next(nil)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if n%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if keep {
			seen.rows++
			labels.add(rows.label)
			rows.lookAt(fields)
		}
	}
	if err := rows.finishLabels(n, t.opt.Labels); err != nil {
		return nil, err
	}
	if seen.rows == 0 {
		return nil, noRows(t.path, t.opt)
	}
	rows.leaveOut(nil, &t.opt)
	s := t.s
	s.reading = rows.reading(&t.opt)
	s.reading.Rows = seen.rows
	opt := t.opt
	switch {
	case opt.Labels == "" && rows.plan.label < 0:
	case opt.Labels == "" && rows.plan.assumed && measured(labels.names):
		opt.LabelColumn, s.why = "none", lastMeasured
		s.reading.Label, s.reading.LabelWhy = "", lastHolds
		s.reading.Columns = append(s.reading.Columns, rows.plan.name(rows.plan.label))
	default:
		seen.names = labels.names
	}
	return seen, t.again(opt)
}

// again opens the table a second time, with what the first pass decided.
func (t *textSource) again(opt OpenOptions) error {
	left := t.rows.plan.without
	t.rows.close()
	rows, err := openTable(t.path, &opt)
	if err != nil {
		return err
	}
	rows.plan.withoutColumns(left)
	t.rows, t.s.columns = rows, rows.plan.featureNames()
	t.s.cols, _ = rows.plan.size()
	return nil
}

// fix implements rowSource.fix.
func (t *textSource) fix(opt *OpenOptions) {
	r := t.rows
	opt.Header, opt.Table.Delimiter = &r.t.Header, r.t.Comma
	for c := range r.plan.without {
		opt.Table.Drop = append(slices.Clone(opt.Table.Drop), fmt.Sprint(c))
	}
	slices.Sort(opt.Table.Drop)
	if opt.Table.Drop == nil {
		opt.Table.Drop = []string{"none"}
	}
	switch {
	case opt.LabelColumn != "":
	case r.plan.label < 0:
		opt.LabelColumn = "none"
	default:
		opt.LabelColumn = r.plan.name(r.plan.label)
		if !r.t.Header {
			opt.LabelColumn = fmt.Sprint(r.plan.label)
		}
	}
}
