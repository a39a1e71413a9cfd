package dataset

import (
	"context"
	"fmt"
	"slices"
)

// textRows opens a table as a source of rows.
func textRows(_ context.Context, path string, opt *OpenOptions) (source, error) {
	t := &textSource{path: path, opt: *opt}
	if err := t.open(); err != nil {
		return nil, err
	}
	if !opt.decided {
		t.rows.watchUnlessKnown()
	}
	return t, nil
}

// textSource is a table that is streamed: the labels are read in a first pass, and the rows in a second.
type textSource struct {
	rowInfo
	path string
	opt  OpenOptions
	rows *tableRows
	n    int // number of rows read
}

func (t *textSource) open() (err error) {
	if t.rows, err = openTable(t.path, &t.opt); err != nil {
		return err
	}
	t.n = 0
	t.describe()
	return nil
}

func (t *textSource) describe() {
	t.source, t.kind, t.expect, t.kept = t.path, float64s, t.opt.rows, t.rows.plan.keptNames()
	t.columns = t.rows.plan.featureNames()
	t.cols, _ = t.rows.plan.size()
}

func (t *textSource) close() { t.rows.close() }

// read implements source.
func (t *textSource) read(ctx context.Context, b *rowBlock) error {
	r := t.rows
	labeled := r.plan.label >= 0 || r.file != nil
	if err := ctx.Err(); err != nil {
		return err
	}
	b.count(r.plan)
	for b.filled < b.size {
		var values []float64
		if b.x != nil {
			values = b.x.f64[b.filled*t.cols : (b.filled+1)*t.cols]
		}
		fields, keep, err := r.next(values)
		if err != nil {
			return err
		}
		if t.n++; t.n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !keep {
			continue
		}
		if labeled {
			b.names = append(b.names, r.label)
		}
		if id := r.plan.id; id >= 0 {
			b.ids = append(b.ids, string(fields[id]))
		}
		if values == nil {
			r.lookAt(fields)
		} else {
			b.variables(r.plan.keep, func(column int) string { return string(fields[column]) })
		}
		b.filled++
	}
	return nil
}

// survey implements source. It decides the roles of the columns and returns to the start of the table.
func (t *textSource) survey(ctx context.Context) (*survey, error) {
	seen, err := surveyRows(ctx, t)
	if err != nil {
		return nil, err
	}
	if seen.rows == 0 {
		return nil, noRows(t.path, t.opt)
	}
	t.rows.leaveOut(nil, &t.opt)
	left := t.rows.plan.without
	if measured := t.decide(seen.names); measured {
		seen.names, t.opt.Y = nil, noLabels
	}
	t.reading.Rows = seen.rows
	t.rows.close()
	t.opt.decided = true
	if err := t.open(); err != nil {
		return nil, err
	}
	t.rows.plan.withoutColumns(left)
	t.describe()
	return seen, nil
}

// decide records what was read. It reports whether the last column, which was assumed to be the labels, contains
// measurements.
func (t *textSource) decide(labels []string) bool {
	plan := t.rows.plan
	t.reading = t.rows.reading(&t.opt)
	if t.opt.Labels != "" || plan.label < 0 || !plan.assumed || !measured(labels) {
		return false
	}
	t.why = lastMeasured
	t.reading.Label, t.reading.LabelWhy = "", lastHolds
	t.reading.Columns = append(t.reading.Columns, plan.name(plan.label))
	return true
}

// settle implements source.
func (t *textSource) settle(r *raw, all *rowBlock) error {
	if all.filled == 0 {
		return noRows(t.path, t.opt)
	}
	plan := t.rows.plan
	r.form = t.opt.Form
	r.x.Float64 = t.rows.leaveOut(r.x.Float64, &t.opt)
	cols, _ := plan.size()
	if t.decide(r.y) {
		r.x.Float64 = withColumn(r.x.Float64, cols, r.y)
		r.y = nil
		cols++
	}
	r.x.Shape = []int{all.filled, cols}
	r.why, r.reading = t.why, t.reading
	if plan.named {
		t.columns = t.reading.Columns
		r.vars = t.columnVars()
	}
	r.keep(plan, all)
	return nil
}

// fix implements source.
func (t *textSource) fix(opt *OpenOptions) {
	r := t.rows
	opt.decided = true
	opt.Header, opt.Table.Delimiter = &r.t.Header, r.t.Comma
	for c := range r.plan.without {
		opt.Table.Drop = append(slices.Clone(opt.Table.Drop), fmt.Sprint(c))
	}
	slices.Sort(opt.Table.Drop)
	if opt.Table.Drop == nil {
		opt.Table.Drop = []string{"none"}
	}
	switch {
	case opt.Y != "":
	case r.plan.label < 0:
		opt.Y = noLabels
	default:
		opt.Y = r.plan.name(r.plan.label)
		if !r.t.Header {
			opt.Y = fmt.Sprint(r.plan.label)
		}
	}
}
