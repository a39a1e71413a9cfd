package dataset

import (
	"fmt"
	"slices"
	"strings"
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

// Form says how the columns of a table become observations. A model keeps it, so that other
// tables are read as the one that it learned from.
//
// A column of texts becomes a value for each text that the training had, named
// column=text: 1 where the table has that text, else 0. A missing text, and one that the
// training did not have, is 0 in all of them.
type Form struct {
	Columns []FormColumn `json:"columns,omitempty"` // that are read, in their order; nil: the data are no table
	Label   string       `json:"label,omitempty"`   // column of the labels
	ID      string       `json:"id,omitempty"`      // column that names the rows, and is no feature
	LeftOut []string     `json:"left_out,omitempty"`
	Only    bool         `json:"only,omitempty"` // columns of other names are passed over
	Missing Missing      `json:"missing,omitempty"`
}

// FormColumn is a column of numbers, or of texts with the values that it may have.
type FormColumn struct {
	Name   string   `json:"name"`
	Values []string `json:"values,omitempty"`
}

// names returns the names of the values of an observation.
func (f *Form) names() []string {
	var out []string
	for _, c := range f.Columns {
		out = c.appendNames(out, c.Name)
	}
	return out
}

func (c *FormColumn) appendNames(out []string, name string) []string {
	if c.Values == nil {
		return append(out, name)
	}
	for _, v := range c.Values {
		out = append(out, name+"="+v)
	}
	return out
}

// Dim returns the number of values of an observation.
func (f *Form) Dim() int {
	n := 0
	for _, c := range f.Columns {
		n += c.width()
	}
	return n
}

func (c *FormColumn) width() int { return max(1, len(c.Values)) }

// Append appends the values of a row to x. The text of column k is given by field; number
// reads one. What is missing is NaN in a column of numbers. Errors name the column.
func (f *Form) Append(x []float64, field func(k int) []byte, number func([]byte) (float64, bool)) ([]float64, error) {
	for k := range f.Columns {
		c := &f.Columns[k]
		text := field(k)
		if c.Values == nil {
			v, ok := number(text)
			if !ok {
				return x, fmt.Errorf("column %s: %.40q is no number", c.Name, text)
			}
			x = append(x, v)
			continue
		}
		at := -1
		if !isMissing(text) {
			at = slices.Index(c.Values, labelText(string(text)))
		}
		x = appendOneHot(x, len(c.Values), at)
	}
	return x, nil
}

// appendOneHot appends n zeros, and a one in place of that at number at, if any.
func appendOneHot(x []float64, n, at int) []float64 {
	for i := range n {
		v := 0.0
		if i == at {
			v = 1
		}
		x = append(x, v)
	}
	return x
}

// Validate returns an error unless the fields can be those of a form.
func (f *Form) Validate() error {
	if f == nil {
		return nil
	}
	switch f.Missing {
	case "", MissingError, MissingDrop, MissingMedian, MissingMean:
	default:
		return fmt.Errorf("missing values: unknown way %q", f.Missing)
	}
	seen := map[string]bool{}
	for _, name := range f.names() {
		if seen[name] {
			return fmt.Errorf("two values of an observation bear the name %q; rename a column", name)
		}
		seen[name] = true
	}
	return nil
}

// isMissing reports whether a field of a table has no value: it is empty, or NA, N/A or nan.
func isMissing(field []byte) bool {
	switch len(field) {
	case 0:
		return true
	case 2:
		return string(field) == "NA"
	case 3:
		return string(field) == "N/A" || strings.EqualFold(string(field), "nan")
	}
	return false
}

// coding turns the texts of a column into numbers.
type coding struct {
	column *FormColumn
	places map[string]int // of texts as they stand in the file; -1 for those that the column does not know
	// rows whose text is missing, or not known, with one of the latter
	missing, unknown int
	example          string
}

func newCoding(c *FormColumn) *coding {
	if c.Values == nil {
		return nil
	}
	return &coding{column: c, places: map[string]int{}}
}

// look returns the place of a text, -1 for none, and counts what has none.
func (c *coding) look(field []byte) int {
	if isMissing(field) {
		c.missing++
		return -1
	}
	at, ok := c.places[string(field)]
	if !ok {
		at = slices.Index(c.column.Values, labelText(string(field)))
		if len(c.places) < labelBlock {
			c.places[string(field)] = at
		}
	}
	if at < 0 {
		if c.unknown++; c.unknown == 1 {
			c.example = string(field)
		}
	}
	return at
}

// remarks says what the column did not know.
func (c *coding) remarks() []Reason {
	var out []Reason
	if c.unknown > 0 {
		out = append(out, reasonf("column %s: %d rows have a text that the training did not have, such as %.40q, and "+
			"are 0 in all its values", c.column.Name, c.unknown, c.example))
	}
	if c.missing > 0 {
		out = append(out, reasonf("column %s: %d rows have no text and are 0 in all its values", c.column.Name,
			c.missing))
	}
	return out
}
