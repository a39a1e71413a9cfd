package dataset

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"rao/internal/format/table"
)

func isEOF(err error) bool { return err == io.EOF }

// columns says what the columns of a table are for.
type columns struct {
	label    int // -1 without
	features []int
	where    []int // columns named in conditions, in their order
	assumed  bool  // the label column was not named: it is merely the last
}

// planColumns finds the label column, the columns of conditions and the features.
// Label and condition columns are not features.
func planColumns(t *table.Reader, path string, opt OpenOptions, conditions []condition) (*columns, error) {
	p := &columns{label: -1}
	n := len(t.Columns)
	var err error
	switch {
	case opt.LabelColumn == "none":
	case opt.LabelColumn != "":
		if p.label, err = findColumn(t, path, opt.LabelColumn); err != nil {
			return nil, err
		}
	case opt.Labels != "":
	default:
		p.label = n - 1
		p.assumed = true
		if t.Header {
			for i, name := range t.Columns {
				if table.LabelName(name) {
					p.label, p.assumed = i, false
				}
			}
		}
		if n == 1 {
			p.label = -1
		}
	}
	for _, c := range conditions {
		i, err := findColumn(t, path, c.name)
		if err != nil {
			return nil, err
		}
		p.where = append(p.where, i)
	}
	for i := range n {
		if i != p.label && !slices.Contains(p.where, i) {
			p.features = append(p.features, i)
		}
	}
	if len(p.features) == 0 {
		return nil, fmt.Errorf("%s: no column is left for the observations", path)
	}
	return p, nil
}

// names returns the names of the features.
func (p *columns) names(t *table.Reader) []string {
	var out []string
	for _, i := range p.features {
		out = append(out, t.Columns[i])
	}
	return out
}

// findColumn finds a column by name, or by number from 0, negative from the end.
func findColumn(t *table.Reader, path, name string) (int, error) {
	if i := slices.Index(t.Columns, name); i >= 0 && t.Header {
		return i, nil
	}
	if i, err := strconv.Atoi(name); err == nil {
		if i < 0 {
			i += len(t.Columns)
		}
		if i >= 0 && i < len(t.Columns) {
			return i, nil
		}
		return 0, fmt.Errorf("%s: no column %s: there are %d, counted from 0", path, name, len(t.Columns))
	}
	if !t.Header {
		return 0, fmt.Errorf("%s: no column %q: the table has no line of column names; give a number from 0, or --header yes", path, name)
	}
	shown := t.Columns
	if len(shown) > 20 {
		shown = append(slices.Clone(shown[:20]), "…")
	}
	return 0, fmt.Errorf("%s: no column %q; there are %q", path, name, shown)
}

// tableRows reads the rows of a table one after the other.
type tableRows struct {
	t          *table.Reader
	path       string
	plan       *columns
	conditions []condition
	label      string // of the row that next read
}

func openTable(path string, opt OpenOptions) (*tableRows, error) {
	conditions, err := parseWhere(opt.Where)
	if err != nil {
		return nil, err
	}
	t, err := table.Open(path, table.Options{Header: opt.Header})
	if err != nil {
		return nil, missing(path, err)
	}
	plan, err := planColumns(t, path, opt, conditions)
	if err != nil {
		t.Close()
		return nil, err
	}
	return &tableRows{t: t, path: path, plan: plan, conditions: conditions}, nil
}

// next reads the next row and reports whether it meets the conditions; r.label is
// its label if it does. The fields are valid until the next call.
func (r *tableRows) next() (fields [][]byte, keep bool, err error) {
	fields, err = r.t.Next()
	if err != nil {
		return nil, false, err
	}
	for i, c := range r.conditions {
		if !c.holdsText(string(fields[r.plan.where[i]])) {
			return fields, false, nil
		}
	}
	if r.plan.label >= 0 {
		r.label = labelText(fields[r.plan.label])
		if r.label == "" {
			return nil, false, fmt.Errorf("%s: line %d has no label in column %q; give every row a label or remove it", r.path, r.t.Line(), r.t.Columns[r.plan.label])
		}
	}
	return fields, true, nil
}

// values appends the features of a row to x.
func (r *tableRows) values(x []float64, fields [][]byte) ([]float64, error) {
	for _, j := range r.plan.features {
		v, ok := table.ParseFloat(fields[j])
		if !ok {
			return x, fmt.Errorf("%s: line %d, column %q: %.40q is not a number; if it is the label name its column with --label-column, if the first line holds names use --header yes",
				r.path, r.t.Line(), r.t.Columns[j], fields[j])
		}
		x = append(x, v)
	}
	return x, nil
}

// loadTable reads a csv or tsv file. It picks rows and reads a file of labels
// itself, and returns opt without these two for assemble.
func loadTable(ctx context.Context, path string, opt OpenOptions) (*raw, OpenOptions, error) {
	rows, err := openTable(path, opt)
	if err != nil {
		return nil, opt, err
	}
	defer rows.t.Close()
	var x []float64
	var y []string
	var index []int
	n := 0
	for {
		fields, keep, err := rows.next()
		if isEOF(err) {
			break
		}
		if err != nil {
			return nil, opt, err
		}
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return nil, opt, ctx.Err()
		}
		if !keep {
			continue
		}
		if x, err = rows.values(x, fields); err != nil {
			return nil, opt, err
		}
		y = append(y, rows.label)
		index = append(index, n-1)
	}
	if len(index) == 0 {
		return nil, opt, noRows(path, opt)
	}
	cols := len(rows.plan.features)
	r := &raw{source: path, vars: map[string]*Array{}}
	names := rows.plan.names(rows.t)
	switch {
	case opt.Labels != "":
		if y, err = readLabels(opt.Labels); err != nil {
			return nil, opt, err
		}
		if len(y) != n {
			return nil, opt, fmt.Errorf("%s: %d rows and %d labels in %s; every row needs one label", path, n, len(y), opt.Labels)
		}
		r.y = make([]string, len(index))
		for i, k := range index {
			r.y[i] = y[k]
		}
		opt.Labels = ""
	case rows.plan.label >= 0 && rows.plan.assumed && measured(y):
		r.why = lastMeasured
		x = withColumn(x, cols, y)
		names = append(names, rows.t.Columns[rows.plan.label])
		cols++
	case rows.plan.label >= 0:
		r.y = y
	}
	if rows.t.Header {
		r.vars["columns"] = &Array{Name: "columns", Type: "U", Shape: []int{cols}, Strings: names}
	}
	opt.Where = nil
	r.x = &Array{Name: "X", Type: "f8", Shape: []int{len(index), cols}, Float64: x}
	return r, opt, nil
}

// lastMeasured explains that a table has no labels.
const lastMeasured = " (its last column holds fractional numbers and was taken for a measurement)"

// measured reports whether texts are numbers of which some are not whole, which
// labels never are.
func measured(y []string) bool {
	fraction := false
	for _, s := range y {
		v, ok := table.ParseFloat([]byte(s))
		if !ok {
			return false
		}
		if v != math.Trunc(v) {
			fraction = true
		}
	}
	return fraction
}

// noRows words the error for a table without a row to hand out.
func noRows(path string, opt OpenOptions) error {
	if len(opt.Where) == 0 {
		return fmt.Errorf("%s: %w: the file holds a line of names and nothing else", path, errNoRows)
	}
	return fmt.Errorf("%s: %w after --where", path, errNoRows)
}

// withColumn returns x with the numbers y as one more column at the end.
func withColumn(x []float64, cols int, y []string) []float64 {
	out := make([]float64, 0, len(x)+len(y))
	for i, s := range y {
		v, _ := table.ParseFloat([]byte(s))
		out = append(out, x[i*cols:(i+1)*cols]...)
		out = append(out, v)
	}
	return out
}
