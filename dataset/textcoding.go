package dataset

import (
	"fmt"
	"slices"
	"strings"

	"rao/internal/text"
	"rao/recipe"
)

// Lacks counts, for each column of a form, the rows of a table with missing or unknown texts. The counts are 0 for
// numeric columns, in which missing values are NaN. A nil pointer counts nothing; the zero value is ready for
// [AppendRow].
type Lacks struct {
	Missing []int // rows without a text
	Unseen  []int // rows with a text that was not in the training data
}

// begin sets the counts of n columns to zero, unless they were set before.
func (l *Lacks) begin(n int) {
	if l != nil && l.Missing == nil {
		l.Missing, l.Unseen = make([]int, n), make([]int, n)
	}
}

// count counts a text of column k with this code.
func (l *Lacks) count(k, code int) {
	switch {
	case l == nil:
	case code == missingText:
		l.Missing[k]++
	case code == unknownText:
		l.Unseen[k]++
	}
}

// AppendRow appends the values of a table row to x, as f describes. field returns the text of column k, and number
// parses a number. Missing numbers are NaN. Missing texts, and texts that are not in the training data, are counted in
// lacks, which may be nil. Errors name the column. Files of columns code each different text once instead, which is 200
// times as fast; both use codeOf.
func AppendRow(x []float64, f *recipe.Encoding, field func(k int) []byte, number func([]byte) (float64, bool),
	lacks *Lacks) ([]float64, error) {
	lacks.begin(len(f.Columns))
	for k := range f.Columns {
		c := &f.Columns[k]
		text := field(k)
		if c.Date {
			days, ok := daysOf(string(text))
			if !ok {
				return x, fmt.Errorf("column %s: %.40q is not a date such as 2024-02-29 or 2024-02-29T18:30:00Z",
					c.Name, text)
			}
			x = append(x, days)
			continue
		}
		if c.Values == nil {
			v, ok := number(text)
			if !ok {
				return x, fmt.Errorf("column %s: %.40q is not a number", c.Name, text)
			}
			x = append(x, v)
			continue
		}
		code := codeOf(c, string(text))
		lacks.count(k, code)
		x = appendOneHot(x, len(c.Values), code)
	}
	return x, nil
}

// appendOneHot appends n values: a one at index at, if that is in range, and zeros elsewhere.
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

// isMissing reports whether a field of a table has no value: empty, NA, N/A or nan.
func isMissing[T string | []byte](field T) bool {
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

// coding converts the texts of a column to numbers: categories, or dates, which do not use the codes below.
type coding struct {
	plan    *columns
	column  *recipe.Column
	feature int            // index of the column among the features
	example string         // the first unknown text
	codes   map[string]int // codes of texts, as spelled in the file
}

// These codes mark texts without a value in the observation.
const (
	baseText = -1 - iota
	missingText
	unknownText
)

// code returns the code of a text, and counts missing and unknown texts.
func (c *coding) code(field []byte) int {
	code, ok := c.codes[string(field)]
	if !ok {
		if code = codeOf(c.column, string(field)); len(c.codes) < labelBlock {
			c.codes[string(field)] = code
		}
	}
	c.count(code, string(field))
	return code
}

// codeOf returns the index of a text among the values of a column, or one of the codes above.
func codeOf(c *recipe.Column, field string) int {
	if isMissing(field) {
		return missingText
	}
	name := labelText(field)
	if at := slices.Index(c.Values, name); at >= 0 {
		return at
	}
	if c.Base != "" && name == c.Base {
		return baseText
	}
	return unknownText
}

// count counts a missing or unknown text.
func (c *coding) count(code int, field string) {
	if c.plan.lacks.count(c.feature, code); code == unknownText && c.example == "" {
		c.example = field
	}
}

func (c *coding) remarks() []error {
	var out []error
	as := "encoded as all zeros"
	if c.column.Base != "" {
		as = "counted as " + c.column.Base
	}
	if n := c.plan.lacks.Unseen[c.feature]; n > 0 {
		which := "that are not in the training data"
		if c.column.Rest > 0 {
			which = fmt.Sprintf("other than the %d most frequent ones", len(c.column.Values))
		}
		out = append(out, reasonf("column %s: texts "+which+", such as %.40q, are %s (%s)",
			c.column.Name, c.example, as, text.Plural(n, "row", "rows")))
	}
	if n := c.plan.lacks.Missing[c.feature]; n > 0 {
		out = append(out, reasonf("column %s: missing texts are %s (%s)", c.column.Name, as,
			text.Plural(n, "row", "rows")))
	}
	return out
}
