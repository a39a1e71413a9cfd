package recipe

import (
	"fmt"
	"slices"

	"rao/internal/naming"
	"rao/internal/optionvalues"
)

// Missing selects how missing values are handled. The zero value keeps them as NaN.
//
//   - error returns an error that names the line and the column;
//   - drop leaves rows with missing values out of training and scoring;
//   - median and mean let the model fill in the median or mean of the column in its training data.
type Missing string

// Encoding describes how the columns of a table become observations. A model stores it to read other tables in the same
// way as its training data.
//
// A text column becomes one 0/1 value for each text in the training data, named column=text. A missing or unknown text
// is 0 in all of them. If every training row had a text, these values would sum to 1 and make covariances singular. The
// first text is then the base category, and has no value.
type Encoding struct {
	Columns []Column `json:"columns,omitempty"`  // columns that are used, in order; nil: the data are not a table
	Label   string   `json:"label,omitempty"`    // column of the labels
	ID      string   `json:"id,omitempty"`       // column with the names of the rows; not a feature
	LeftOut []string `json:"left_out,omitempty"` // known columns that are not used
	Only    bool     `json:"only,omitempty"`     // ignore columns with other names
	Missing Missing  `json:"missing,omitempty"`  // what to do with missing values; absent: keep them
}

// Column is a numeric column, or a text column with its possible values.
type Column struct {
	Name   string   `json:"name"`             // name in the table
	Values []string `json:"values,omitempty"` // categories in order; nil: the column is numeric
	Base   string   `json:"base,omitempty"`   // base category, which is 0 in all values; empty: none
	// Rest is the fraction of training rows with a text that is not in Values, which contains only the most frequent
	// texts.
	Rest float64 `json:"rest,omitempty"`
	Unit string  `json:"unit,omitempty"` // unit of the numbers, such as mm; empty: unknown
	// Date is true if the column contains dates or times in ISO 8601. They become days since 1970-01-01, 00:00 UTC.
	Date bool `json:"date,omitempty"`
	// Missing is the fraction of training rows without a value in this column, if missing values are allowed.
	Missing float64 `json:"missing,omitempty"`
}

// Names returns the name of each value of an observation, in order: the name of a numeric column, and NAME=TEXT for
// each of the Values of a text column.
func (t *Encoding) Names() []string {
	var out []string
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Values == nil {
			out = append(out, c.Name)
		}
		for _, v := range c.Values {
			out = append(out, c.Name+"="+v)
		}
	}
	return out
}

// Validate returns an error unless the fields are valid and consistent. A nil table is valid.
func (t *Encoding) Validate() error {
	if t == nil {
		return nil
	}
	switch t.Missing {
	case "", optionvalues.MissingError, optionvalues.MissingDrop, optionvalues.MissingMedian, optionvalues.MissingMean:
	default:
		return fmt.Errorf("missing values cannot be treated by %q; choose from error, drop, median and mean", t.Missing)
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; !(c.Missing >= 0 && c.Missing <= 1) || !(c.Rest >= 0 && c.Rest <= 1) {
			return fmt.Errorf("column %s: the shares of rows %v and %v must be between 0 and 1", c.Name, c.Missing,
				c.Rest)
		}
		if c := &t.Columns[i]; c.Date && (c.Values != nil || c.Unit != "") {
			return fmt.Errorf("column %s contains dates, so it cannot have categories or a unit; leave them out",
				c.Name)
		}
		if c := &t.Columns[i]; c.Base != "" && (c.Values == nil || slices.Contains(c.Values, c.Base)) {
			return fmt.Errorf("column %s: %.40q cannot be the base of the values %.100q; choose a base that is not "+
				"one of the values of a column of texts", c.Name, c.Base, c.Values)
		}
	}
	if name, ok := naming.Twice(t.Names()); ok {
		return fmt.Errorf("two columns have the name %q; rename one", name)
	}
	return nil
}
