package dataset

import (
	"math"
	"slices"
	"strings"

	"rao/internal/format/table"
)

// identifiers finds the columns of a table that number or identify its rows, which a
// classifier would learn by heart.
type identifiers struct {
	t        *table.Reader
	plan     *columns
	columns  []int // watched
	counting []bool
	start    []float64
	seen     []map[float64]struct{} // of the first rows; nil when some value is not whole
	rows     int                    // looked at
	done     bool                   // further rows tell nothing
}

// Rows that are looked at for values of their own, and the fewest that tell anything.
const (
	identifierRows = 512
	fewestRows     = 20
)

func watchIdentifiers(t *table.Reader, plan *columns) *identifiers {
	columns := slices.Clone(plan.features)
	w := &identifiers{t: t, plan: plan, columns: columns, counting: make([]bool, len(columns)),
		start: make([]float64, len(columns)),
		seen:  make([]map[float64]struct{}, len(columns))}
	for i := range columns {
		w.counting[i], w.seen[i] = true, map[float64]struct{}{}
	}
	return w
}

// add looks at the next row.
func (w *identifiers) add(fields [][]byte) {
	for i, c := range w.columns {
		unique := w.seen[i] != nil && w.rows < identifierRows
		if !w.counting[i] && !unique {
			continue
		}
		v, ok := w.t.Float(fields[c])
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

// nameless reports whether a column bears no name, or that which pandas gives to none.
func (w *identifiers) nameless(c int) bool {
	return !w.t.Header || w.t.Columns[c] == "" || strings.HasPrefix(w.t.Columns[c], "Unnamed:")
}

// judge returns the columns to leave out, with the reason, and remarks on others.
// Columns that bear a name are left in: only their owner knows. With all, none is left
// out.
func (w *identifiers) judge(all bool) (out map[int]Reason, remarks []Reason) {
	out = map[int]Reason{}
	for i, c := range w.columns {
		own := w.seen[i] != nil && float64(len(w.seen[i])) > 0.95*float64(min(w.rows, identifierRows))
		enough := w.rows >= fewestRows
		name := w.plan.name(c)
		switch {
		case !all && w.counting[i] && w.nameless(c) && (enough || w.t.Header && w.rows > 2):
			out[c] = reasonf("it has no name and counts the rows; {drop=none} keeps it")
		case !all && own && enough && w.t.Header && w.nameless(c):
			out[c] = reasonf("it has no name and a number of its own in every row; {drop=none} keeps it")
		case w.counting[i] && enough:
			remarks = append(remarks,
				reasonf("column %s counts the rows and is a feature ({drop=%s} leaves it out)", name, name))
		case own && enough:
			remarks = append(remarks,
				reasonf("column %s has a number of its own in nearly every row and is a feature ({drop=%s} "+
					"leaves it out)", name, name))
		case w.t.Header && w.nameless(c):
			remarks = append(remarks,
				reasonf("column %d has no name and is a feature ({drop=%d} leaves it out)", c, c))
		}
	}
	return out, remarks
}
