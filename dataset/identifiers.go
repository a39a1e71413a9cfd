package dataset

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"

	"rao/internal/format/table"
)

// identifiers finds the columns of a table that number or identify its rows, which a classifier would memorize.
type identifiers struct {
	plan     *columns
	header   bool
	columns  []int // watched
	counting []bool
	start    []float64
	seen     []map[float64]struct{} // values in the first rows; nil if one is not an integer
	rows     int                    // number of rows seen
	done     bool                   // further rows do not matter
}

// Columns of identifiers are detected in the first identifierRows rows, if there are at least fewestRows rows.
const (
	identifierRows = 512
	fewestRows     = 20
)

func watchIdentifiers(plan *columns, columns []int, header bool) *identifiers {
	w := &identifiers{plan: plan, columns: columns, header: header, counting: make([]bool, len(columns)),
		start: make([]float64, len(columns)),
		seen:  make([]map[float64]struct{}, len(columns))}
	for i := range columns {
		w.counting[i], w.seen[i] = true, map[float64]struct{}{}
	}
	return w
}

// add examines the next row of a table.
func (w *identifiers) add(t *table.Reader, fields [][]byte) {
	w.check(func(i int) (float64, bool) { return t.Float(fields[w.columns[i]]) })
}

// check checks the next row; value returns the number in the i-th watched column.
func (w *identifiers) check(value func(i int) (float64, bool)) {
	for i := range w.columns {
		unique := w.seen[i] != nil && w.rows < identifierRows
		if !w.counting[i] && !unique {
			continue
		}
		v, ok := value(i)
		if w.rows == 0 {
			w.start[i] = v
		}
		if !ok || v != w.start[i]+float64(w.rows) || w.start[i] != 0 && w.start[i] != 1 {
			w.counting[i] = false
		}
		switch {
		case !unique:
		case !ok || v != math.Trunc(v):
			w.seen[i] = nil
		default:
			w.seen[i][v] = struct{}{}
		}
	}
	w.rows++
	w.done = w.rows >= identifierRows && !slices.Contains(w.counting, true)
}

// nameless reports whether a column has no name, or the name that pandas writes for unnamed columns.
func (w *identifiers) nameless(c int) bool {
	name := w.plan.list[c].Name
	return !w.header || name == "" || strings.HasPrefix(name, "Unnamed:")
}

// judge returns the columns to leave out, with the reason, and remarks on others. It keeps columns with a name, because
// only the user can judge them. If all is set, it leaves out no columns.
func (w *identifiers) judge(all bool) (out map[int]error, remarks []error) {
	out = map[int]error{}
	for i, c := range w.columns {
		own := w.seen[i] != nil && float64(len(w.seen[i])) > 0.95*float64(min(w.rows, identifierRows))
		enough := w.rows >= fewestRows
		name := w.plan.name(c)
		switch {
		case !all && w.counting[i] && w.nameless(c) && (enough || w.header && w.rows > 2):
			out[c] = reasonf("it has no name and numbers the rows; {drop=none} keeps it")
		case !all && own && enough && w.header && w.nameless(c):
			out[c] = reasonf("it has no name and a different number in every row; {drop=none} keeps it")
		case w.counting[i] && enough:
			remarks = append(remarks,
				reasonf("column %s numbers the rows but is used as a feature; {drop=%s} leaves it out", name, name))
		case own && enough:
			remarks = append(remarks,
				reasonf("column %s has a different number in nearly every row but is used as a feature; {drop=%s} "+
					"leaves it out", name, name))
		case w.header && w.nameless(c):
			remarks = append(remarks,
				reasonf("column %d has no name but is used as a feature; {drop=%d} leaves it out", c, c))
		}
	}
	return out, remarks
}

// identifierRemarks returns remarks on the columns of a file that seem to number or identify its rows, judging by the
// first rows.
func identifierRemarks(ctx context.Context, f Columns, plan *columns) ([]error, error) {
	numbers := slices.DeleteFunc(slices.Clone(plan.features), func(c int) bool { return plan.list[c].Width != 1 })
	if len(numbers) == 0 {
		return nil, nil
	}
	next, stop, err := f.Read(ctx, numbers, nil, false)
	if err != nil {
		return nil, err
	}
	defer stop()
	w := watchIdentifiers(plan, numbers, true)
	for w.rows < identifierRows {
		rows, err := next(identifierRows - w.rows)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for k := range rows.Rows {
			w.check(func(i int) (float64, bool) { return rows.Numbers.At(k, i), true })
		}
	}
	_, remarks := w.judge(true)
	return remarks, nil
}
