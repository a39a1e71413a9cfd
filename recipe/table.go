package recipe

import (
	"fmt"
	"reflect"
	"slices"
)

// Missing says what is done with values that data do not have.
type Missing string

// What is done with missing values. The zero value hands them out as NaN.
const (
	MissingError  Missing = "error"  // they are errors, by line and column
	MissingDrop   Missing = "drop"   // rows that lack a value are left out where something is learned or scored
	MissingMedian Missing = "median" // a model fills in the median of the column in its training
	MissingMean   Missing = "mean"   // or the mean
)

// Fills reports whether a model fills in the missing values.
func (m Missing) Fills() bool { return m == MissingMedian || m == MissingMean }

// Table says how the columns of a table become observations. A model keeps it, so that other
// tables are read as the one that it learned from.
//
// A column of texts becomes a value for each text that the training had, named
// column=text: 1 where the table has that text, else 0. A missing text, and one that the
// training did not have, is 0 in all of them. Where every row of the training had a text, these values would
// add up to 1 and covariances be singular; then the first text is the base, which has no value.
type Table struct {
	Columns []Column `json:"columns,omitempty"`  // that are read, in their order; nil: the data are no table
	Label   string   `json:"label,omitempty"`    // column of the labels
	ID      string   `json:"id,omitempty"`       // column that names the rows, and is no feature
	LeftOut []string `json:"left_out,omitempty"` // other columns, which are known and not read
	Only    bool     `json:"only,omitempty"`     // columns of other names are passed over
	Missing Missing  `json:"missing,omitempty"`  // what is done with missing values: error, drop, median or mean
}

// Column is a column of numbers, or of texts with the values that it may have.
type Column struct {
	Name   string   `json:"name"`             // as the table has it
	Values []string `json:"values,omitempty"` // categories, in their order; nil: the column holds numbers
	Base   string   `json:"base,omitempty"`   // category that is 0 in all values; empty: there is none
	// Rest is the share of the rows of the training with other texts than Values, which are the most frequent.
	Rest float64 `json:"rest,omitempty"`
	Unit string  `json:"unit,omitempty"` // of the numbers, such as mm; empty: not known
	// Date is set if the column holds dates or times in ISO 8601. Their numbers are days since 1970-01-01, 00:00 UTC.
	Date bool `json:"date,omitempty"`
	// Missing is the share of the rows of the training that had no value in the column, where rows may lack some.
	Missing float64 `json:"missing,omitempty"`
}

// Names returns the names of the values of an observation.
func (t *Table) Names() []string {
	var out []string
	for i := range t.Columns {
		out = t.Columns[i].AppendNames(out, t.Columns[i].Name)
	}
	return out
}

// AppendNames appends the names of the values that the column gives, where it has the name.
func (c *Column) AppendNames(out []string, name string) []string {
	if c.Values == nil {
		return append(out, name)
	}
	for _, v := range c.Values {
		out = append(out, name+"="+v)
	}
	return out
}

// Dim returns the number of values of an observation.
func (t *Table) Dim() int {
	n := 0
	for i := range t.Columns {
		n += t.Columns[i].Width()
	}
	return n
}

// Texts reports whether the column holds texts: categories, or dates.
func (c *Column) Texts() bool { return c.Values != nil || c.Date }

// Width returns the number of values that the column gives to an observation.
func (c *Column) Width() int { return max(1, len(c.Values)) }

// Validate returns an error unless the fields can be those of a table.
func (t *Table) Validate() error {
	if t == nil {
		return nil
	}
	switch t.Missing {
	case "", MissingError, MissingDrop, MissingMedian, MissingMean:
	default:
		return fmt.Errorf("missing values: unknown way %q", t.Missing)
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; !(c.Missing >= 0 && c.Missing <= 1) || !(c.Rest >= 0 && c.Rest <= 1) {
			return fmt.Errorf("column %s: %v and %v are not shares of rows", c.Name, c.Missing, c.Rest)
		}
		if c := &t.Columns[i]; c.Date && (c.Values != nil || c.Unit != "") {
			return fmt.Errorf("column %s: dates have neither categories nor a unit", c.Name)
		}
		if c := &t.Columns[i]; c.Base != "" && (c.Values == nil || slices.Contains(c.Values, c.Base)) {
			return fmt.Errorf("column %s: %.40q cannot be the base of %.100q", c.Name, c.Base, c.Values)
		}
	}
	seen := map[string]bool{}
	for _, name := range t.Names() {
		if seen[name] {
			return fmt.Errorf("two columns have the name %q; rename one", name)
		}
		seen[name] = true
	}
	return nil
}

// Reordered returns the table with its columns in the order of the names, which are those of the values; nil
// where values of one column are apart in them.
func (t *Table) Reordered(names []string) *Table {
	if slices.Equal(t.Names(), names) {
		return t
	}
	first := map[string]Column{}
	for _, c := range t.Columns {
		first[c.AppendNames(nil, c.Name)[0]] = c
	}
	out := *t
	out.Columns = nil
	for at := 0; at < len(names); {
		c, ok := first[names[at]]
		if !ok {
			return nil
		}
		out.Columns = append(out.Columns, c)
		at += c.Width()
	}
	if !slices.Equal(out.Names(), names) {
		return nil
	}
	return &out
}

// Contradicts names the first thing in which two tables, with the same names of values, are read in different
// ways; "" where there is none. Labels, names of rows, columns that are not read, and shares of missing
// values play no part.
func (t *Table) Contradicts(o *Table) string {
	if t.Missing != o.Missing {
		return fmt.Sprintf("missing values: %s and %s", t.Missing, o.Missing)
	}
	for i := range min(len(t.Columns), len(o.Columns)) {
		a, b := t.Columns[i], o.Columns[i]
		a.Missing, b.Missing, a.Rest, b.Rest = 0, 0, 0, 0
		if !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("column %s: %s and %s", t.Columns[i].Name, t.Columns[i].text(), o.Columns[i].text())
		}
	}
	if len(t.Columns) != len(o.Columns) {
		return fmt.Sprintf("%d and %d columns", len(t.Columns), len(o.Columns))
	}
	return ""
}

// text describes the column.
func (c *Column) text() string {
	switch {
	case c.Base != "":
		return fmt.Sprintf("categories %.100q and the base %.40q", c.Values, c.Base)
	case c.Values != nil:
		return fmt.Sprintf("categories %.100q", c.Values)
	case c.Date:
		return "dates"
	case c.Unit != "":
		return "numbers in " + c.Unit
	}
	return "numbers"
}
