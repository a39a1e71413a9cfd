package dataset

import (
	"context"
	"io"
)

// textRows reads the labels of a table in a first pass, and its rows in a second.
func textRows(ctx context.Context, path string, opt OpenOptions) (*rowSource, error) {
	s := &rowSource{source: path, n: -1}
	out, err := s.textLabels(ctx, path, &opt)
	if err != nil {
		return nil, err
	}
	rows, err := openTable(path, &opt)
	if err != nil {
		return nil, err
	}
	rows.plan.withoutColumns(rows.t, out)
	s.cols = len(rows.plan.features)
	s.close = func() { rows.t.Close() }
	s.read64 = func(dst []float64) (int, error) {
		n, want := 0, len(dst)/s.cols
		for n < want {
			fields, keep, err := rows.next()
			if err == io.EOF && n > 0 {
				return n, nil
			}
			if err != nil {
				return 0, err
			}
			if !keep {
				continue
			}
			if _, err := rows.values(dst[n*s.cols:n*s.cols], fields); err != nil {
				return 0, err
			}
			n++
		}
		return n, nil
	}
	return s, nil
}

// textLabels reads the labels of the rows that meet the conditions, and returns the
// columns that are left out because they only number the rows.
func (s *rowSource) textLabels(ctx context.Context, path string, opt *OpenOptions) (map[int]string, error) {
	rows, err := openTable(path, opt)
	if err != nil {
		return nil, err
	}
	defer rows.t.Close()
	rows.watch = watchIdentifiers(rows.t, rows.plan.features)
	var y []string
	var index []int
	n := 0
	for ; ; n++ {
		_, keep, err := rows.next()
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
			index = append(index, n)
			if rows.plan.label >= 0 {
				y = append(y, rows.label)
			}
		}
	}
	if len(index) == 0 {
		return nil, noRows(path, *opt)
	}
	features := len(rows.plan.features)
	rows.leaveOut(nil, opt)
	var out map[int]string
	if len(rows.plan.features) < features {
		out, _ = rows.watch.judge(false)
	}
	s.reading = rows.reading(opt)
	s.reading.Rows = len(index)
	switch {
	case opt.Labels != "":
		s.y, err = labelsOf(opt.Labels, path, n, index)
	case rows.plan.label >= 0 && rows.plan.assumed && measured(y):
		opt.LabelColumn, s.why = "none", lastMeasured
		s.reading.Label, s.reading.LabelWhy = "", lastHolds
		s.reading.Columns = append(s.reading.Columns, columnName(rows.t, rows.plan.label))
	default:
		s.y = y
	}
	return out, err
}
