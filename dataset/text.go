package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"rao"
	"rao/internal/format/table"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/internal/suggest"
	"rao/recipe"
)

// TableOptions describe properties of a table (csv, tsv) that the file does not state. The zero value detects and
// reports what it can; see [Reading].
type TableOptions struct {
	Delimiter    byte // 0: detected from the first lines; ' ': blanks
	DecimalComma bool // 1,5 means 3/2
	Latin1       bool // the encoding is ISO 8859-1
	NoComments   bool // lines that start with # are rows, not comments
	// Drop lists the columns to leave out, by name or number. "none" also keeps unnamed columns that number the rows.
	Drop      []string
	Variables []string // columns that are variables instead of features, such as groups
	Keep      []string // feature columns, if not all are
	ID        string   // column with the names of the rows; not a feature
	// Categories are text columns, by name or number; "auto" selects every column whose first value is not a number.
	// Categories need Learn.
	Categories []string
	// Top is the number of texts to keep per column; the most frequent texts are kept. If it is 0, all texts are kept,
	// and a column with more than 1000 is an error.
	Top     int
	Missing recipe.Missing // how missing values are handled; "" leaves NaN
	// Learn determines the form of the table (Data.Form), which a model stores. Without Learn, there are no categories,
	// and missing values cannot be filled in.
	Learn bool
}

// dropped returns the columns of Drop without the word none.
func (o *TableOptions) dropped() []string {
	var list []string
	for _, name := range o.Drop {
		if name != "none" {
			list = append(list, name)
		}
	}
	return list
}

type tableRows struct {
	t          *table.Reader
	path       string
	plan       *columns
	conditions []condition
	missing    recipe.Missing
	full       bool              // next returns all fields
	dropped    int               // number of rows with a missing value
	label      string            // label of the row that next read
	file       *labelFile        // file of labels, instead of the label column; may be nil
	known      map[string]string // canonical forms of labels read so far

	want    []table.Want // by column
	numbers bool         // the features are among the columns of want

	fitted  bool         // the rows are input of a fitted model
	comma   bool         // numbers have decimal commas
	watch   *identifiers // nil if not needed
	spelled spellings
	remarks []error
}

func openTable(path string, opt *OpenOptions) (*tableRows, error) {
	conditions, err := parseWhere(opt.Where)
	if err != nil {
		return nil, err
	}
	t, err := table.Open(path, table.Options{Header: opt.Header, Comma: opt.Table.Delimiter,
		DecimalComma: opt.Table.DecimalComma, Latin1: opt.Table.Latin1, NoComments: opt.Table.NoComments,
		From: opt.Span[0], To: opt.Span[1]})
	if err != nil {
		return nil, missing(path, err)
	}
	plan := &columns{path: path, list: columnsOf(t), named: t.Header}
	if err := plan.decide(opt, conditions); err != nil {
		t.Close()
		return nil, err
	}
	r := &tableRows{t: t, path: t.Name(), plan: plan, conditions: conditions, missing: opt.missing(),
		fitted: opt.fitted(), comma: opt.Table.DecimalComma, spelled: spellings{}, known: map[string]string{}}
	if opt.Labels != "" {
		if r.file, err = openLabelFile(opt.Labels); err != nil {
			t.Close()
			return nil, err
		}
	}
	return r, nil
}

func (r *tableRows) close() {
	r.t.Close()
	if r.file != nil {
		r.file.close()
	}
}

func columnsOf(t *table.Reader) []Column {
	list := make([]Column, len(t.Columns))
	for i, name := range t.Columns {
		list[i] = Column{Name: name, Width: 1, Text: t.Text[i]}
	}
	return list
}

// next reads the next row and reports whether it meets the conditions. If it does, r.label is its label and, unless
// values is nil, the features are written to values. fields contains at least the fields of labels, conditions and
// variables. It is valid until the next call.
func (r *tableRows) next(values []float64) (fields [][]byte, keep bool, err error) {
	watching := r.watch != nil && !r.watch.done
	whole := watching || r.full || r.plan.codes != nil || values != nil && len(r.conditions) > 0
	if whole {
		fields, err = r.t.Next()
	} else {
		fields, err = r.t.Pick(r.wanted(values != nil), values)
	}
	if err != nil {
		var bad *table.NumberError
		if errors.As(err, &bad) {
			err = r.notNumber(bad.Column, bad.Field)
		} else if err == io.EOF && r.file != nil {
			err = cmp.Or(r.file.finish(r.path), err)
		}
		return nil, false, err
	}
	if watching {
		r.watch.add(r.t, fields)
	}
	if r.file != nil {
		if r.label, err = r.file.next(); err != nil {
			return nil, false, err
		}
	}
	for i, c := range r.conditions {
		if !c.holdsText(string(fields[r.plan.where[i]])) {
			return fields, false, nil
		}
	}
	if r.missing == optionvalues.MissingDrop && r.lacks(fields) {
		r.dropped++
		return fields, false, nil
	}
	if r.plan.label >= 0 && r.file == nil {
		if err := r.takeLabel(fields[r.plan.label]); err != nil {
			return nil, false, err
		}
	}
	switch {
	case values == nil:
	case whole:
		err = r.values(values, fields)
	default:
		for i, v := range values {
			if math.IsInf(v, 0) {
				return nil, false, r.infinite(r.plan.features[i], v)
			}
			if v != v && r.missing == optionvalues.MissingError {
				return nil, false, r.noValue(r.plan.features[i])
			}
		}
	}
	return fields, true, err
}

// wanted determines how each column is read.
func (r *tableRows) wanted(numbers bool) []table.Want {
	if len(r.want) == 0 || r.numbers != numbers {
		r.numbers = numbers
		r.want = make([]table.Want, len(r.t.Columns))
		if numbers {
			for _, c := range r.plan.features {
				r.want[c] = table.Number
			}
		}
		for _, c := range slices.Concat(r.plan.where, r.plan.keep) {
			r.want[c] = table.Text
		}
		if r.plan.label >= 0 {
			r.want[r.plan.label] = table.Text
		}
	}
	return r.want
}

// takeLabel sets the label of a row from its field.
func (r *tableRows) takeLabel(field []byte) error {
	label, ok := r.known[string(field)]
	if ok {
		r.label = label
		return nil
	}
	r.label = r.labelOf(field)
	if r.label == "" {
		if r.plan.guessed {
			return rao.Optionf("y", "%s: line %d has no label in %s, which was chosen as the label column "+
				"(%w); give every row a label or remove it, or name another column with {y}", r.path,
				r.t.Line(), r.plan.described(r.plan.label), r.plan.why)
		}
		return fmt.Errorf("%s: line %d has no label in %s; give every row a label or remove it",
			r.path, r.t.Line(), r.plan.described(r.plan.label))
	}
	if remark := r.spelled.record(r.label, field); remark != "" {
		r.remarks = append(r.remarks, because(remark))
	}
	if len(r.known) < labelBlock {
		r.known[string(field)] = r.label
	}
	return nil
}

func (r *tableRows) labelOf(field []byte) string {
	if _, ok := r.t.Float(field); ok {
		field = bytes.Replace(field, []byte{','}, []byte{'.'}, 1) // convert a decimal comma
	}
	return labelText(string(field))
}

func (r *tableRows) values(x []float64, fields [][]byte) error {
	at := 0
	for k, j := range r.plan.features {
		if r.missing == optionvalues.MissingError && isMissing(fields[j]) {
			return r.noValue(j)
		}
		if c := r.plan.coding(k); c != nil && c.column.Date {
			days, ok := daysOf(string(fields[j]))
			if !ok {
				return fmt.Errorf("%s: line %d, %w", r.path, r.t.Line(), noDate(c.column.Name, string(fields[j])))
			}
			x[at] = days
			at++
			continue
		} else if c != nil {
			n := len(c.column.Values)
			appendOneHot(x[at:at], n, c.code(fields[j]))
			at += n
			continue
		}
		v, ok := r.t.Float(fields[j])
		if !ok {
			return r.notNumber(j, fields[j])
		}
		if math.IsInf(v, 0) {
			return r.infinite(j, v)
		}
		x[at] = v
		at++
	}
	return nil
}

// noValue returns the error for a missing feature.
func (r *tableRows) noValue(column int) error {
	if r.t.Columns[column] == "" {
		return rao.Optionf("drop", "%s: line %d, %s has no value; leave the column out with {drop=%d}, or fill it in",
			r.path, r.t.Line(), r.plan.described(column), column)
	}
	return rao.Optionf("missing", "%s: line %d, %s has no value; fill it in, or "+missingRemedy(r.fitted),
		r.path, r.t.Line(), r.plan.described(column))
}

// infinite returns the error for a feature that is infinite.
func (r *tableRows) infinite(column int, v float64) error {
	return fmt.Errorf("%s: line %d, %s is %v; remove the row or fill the value in", r.path, r.t.Line(),
		r.plan.described(column), v)
}

// missingRemedy returns the remedy for missing values in training data or in the input of a fitted model.
func missingRemedy(fitted bool) string {
	if fitted {
		return "fit the model with {missing=median} or mean"
	}
	return "set {missing=median}, mean or drop"
}

// fitted reports whether the data are input of a fitted model.
func (o *OpenOptions) fitted() bool { return !o.Table.Learn && (o.Form != nil || o.Features != nil) }

func (r *tableRows) notNumber(column int, field []byte) error {
	header := ""
	if !r.t.Header {
		header = "; if the first line contains column names, set {header=yes}"
	}
	if r.fitted {
		empty := ""
		if recipes.Fills(r.missing) {
			empty = " or leave it empty"
		}
		return rao.Optionf("data", "%s: line %d, %s: %.40q is not a number; write a number"+empty+header+
			r.commaHint(field), r.path, r.t.Line(), r.plan.described(column), field)
	}
	if isDate(string(field)) {
		return rao.Optionf("categories", "%s: line %d, %s: %.40q is a date%s; set {categories=auto}, which "+
			"reads dates as days since 1970, or leave the column out with {drop}", r.path, r.t.Line(),
			r.plan.described(column), field, r.labelHint())
	}
	return rao.Optionf("drop", "%s: line %d, %s: %.40q is not a number%s; leave the column out with {drop}, or "+
		"learn from its texts with {categories="+r.auto(column)+"}; if they are the labels, name it with "+
		"{y}"+header+r.commaHint(field), r.path, r.t.Line(), r.plan.described(column), field, r.labelHint())
}

// auto returns the value of the option categories for which a column is categorical.
func (r *tableRows) auto(column int) string {
	if r.plan.codes == nil {
		return "auto"
	}
	return "auto," + r.plan.name(column) // its first value is a number, so auto alone does not select it
}

// labelHint names the column that is used as the labels.
func (r *tableRows) labelHint() error {
	if r.plan.label < 0 {
		return because("")
	}
	return reasonf(" (the labels are in %s, %w)", r.plan.described(r.plan.label), r.plan.why)
}

// commaHint returns a remedy for a field that may have a decimal comma.
func (r *tableRows) commaHint(field []byte) string {
	commas, points := bytes.Count(field, []byte{','}), bytes.Count(field, []byte{'.'})
	switch {
	case commas > 0 && points > 0:
		return "; remove the separators of thousands"
	case commas == 1 && r.t.Comma != ',' && !r.comma:
		return "; for decimal commas set {csv=decimal=comma}"
	}
	return ""
}

// leaveOut removes the columns that only number the rows from x and from the plan.
func (r *tableRows) leaveOut(x []float64, opt *OpenOptions) []float64 {
	if r.watch == nil {
		return x
	}
	out, remarks := r.watch.judge(opt.Table.Drop != nil)
	r.remarks = append(r.remarks, remarks...)
	if len(out) == 0 || len(out) == len(r.plan.features) {
		return x
	}
	var left []int // indices of the features that stay
	for i, c := range r.plan.features {
		if _, ok := out[c]; !ok {
			left = append(left, i)
		}
	}
	cols := len(r.plan.features)
	r.plan.withoutColumns(out)
	to := 0
	for at := 0; at < len(x); at += cols {
		for _, i := range left {
			x[to] = x[at+i]
			to++
		}
	}
	return x[:to]
}

// reading returns the report of the table: its columns, its layout, and remarks.
func (r *tableRows) reading(opt *OpenOptions) *Reading {
	reading := r.plan.reading()
	reading.Table = layoutOf(r.t, &opt.Table)
	if r.watch == nil {
		reading.Remarks = slices.Clone(opt.remarks)
	}
	reading.Remarks = slices.Concat(reading.Remarks, r.remarks, r.plan.formRemarks(r.dropped))
	if opt.Features != nil && !r.plan.named {
		reading.Remarks = append(reading.Remarks, because("the table has no column names, so its columns were matched "+
			"by position with the columns of the model: "+suggest.Some(opt.Features, shownColumns)))
	}
	return reading
}

// lastHolds is the reason why the last column is not used as the labels.
var lastHolds = because("the last column contains fractional numbers and was treated as a measurement")

// lastMeasured explains that a table has no labels.
var lastMeasured = because(" (its last column contains fractional numbers and was treated as a measurement)")

// measured reports whether all texts are numbers and some are not integers. Such texts are measurements, not labels.
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

// noRows returns the error for a table without a row to return.
func noRows(path string, opt OpenOptions) error {
	switch {
	case opt.partial():
		return fmt.Errorf("%s: %w in the part %s; choose a larger part", path, ErrNoRows, opt.part())
	case len(opt.Where) == 0:
		return fmt.Errorf("%s: the only line was read as column names, so %w; give a table with rows of data", path,
			ErrNoRows)
	}
	if slices.ContainsFunc(opt.Where, func(w string) bool {
		_, value, _ := strings.Cut(w, "=")
		return severalConditions(value)
	}) {
		return rao.Optionf("where", "%s: %w after the selection by {where}; give each condition its own {where}",
			path, ErrNoRows)
	}
	return rao.Optionf("where", "%s: %w after the selection by {where}; choose values that the columns contain",
		path, ErrNoRows)
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
