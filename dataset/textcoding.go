package dataset

import (
	"fmt"
	"slices"
	"strings"

	"rao/internal/recipes"
	"rao/recipe"
)

// Lacks counts, for each column of a form, the rows of a table with missing or unknown texts. The counts are 0 for
// numeric columns, in which missing values are NaN. A nil pointer counts nothing.
type Lacks struct {
	Missing []int // rows without a text
	Unseen  []int // rows with a text that was not in the training data
}

// NewLacks returns a Lacks with a count of zero for every column of f.
func NewLacks(f *recipe.Encoding) *Lacks {
	n := len(f.Columns)
	return &Lacks{make([]int, n), make([]int, n)}
}

// add counts a text of column k that is not a category.
func (l *Lacks) add(k int, missing bool) {
	switch {
	case l == nil:
	case missing:
		l.Missing[k]++
	default:
		l.Unseen[k]++
	}
}

// AppendRow appends the values of a table row to x, as f describes. field returns the text of column k, and number
// parses a number. Missing numbers are NaN. Missing texts, and texts that are not in the training data, are counted in
// lacks, which may be nil. Errors name the column.
func AppendRow(x []float64, f *recipe.Encoding, field func(k int) []byte, number func([]byte) (float64, bool),
	lacks *Lacks) ([]float64, error) {
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
		at := -1
		if isMissing(text) {
			lacks.add(k, true)
		} else if name := labelText(string(text)); c.Base == "" || name != c.Base {
			if at = slices.Index(c.Values, name); at < 0 {
				lacks.add(k, false)
			}
		}
		x = appendOneHot(x, len(c.Values), at)
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
	column *recipe.Column
	codes  map[string]int // codes of texts, as spelled in the file
	// numbers of rows with a missing text and with an unknown text, and an example of an unknown text
	missing, unknown int
	example          string
}

// These codes mark texts without a value in the observation.
const (
	baseText = -1 - iota
	missingText
	unknownText
)

func newCoding(c *recipe.Column) *coding {
	if !recipes.Texts(c) {
		return nil
	}
	return &coding{column: c, codes: map[string]int{}}
}

// codeOf returns the code of a text, and counts missing and unknown texts.
func (c *coding) codeOf(field []byte) int {
	code, ok := c.codes[string(field)]
	if !ok {
		if code = c.code(string(field)); len(c.codes) < labelBlock {
			c.codes[string(field)] = code
		}
	}
	if code < baseText {
		c.count(code, string(field))
	}
	return code
}

// code returns the index of a text among the values of the column, or one of the codes above.
func (c *coding) code(field string) int {
	if isMissing(field) {
		return missingText
	}
	name := labelText(field)
	if at := slices.Index(c.column.Values, name); at >= 0 {
		return at
	}
	if c.column.Base != "" && name == c.column.Base {
		return baseText
	}
	return unknownText
}

func (c *coding) count(code int, field string) {
	switch code {
	case missingText:
		c.missing++
	case unknownText:
		if c.unknown++; c.unknown == 1 {
			c.example = field
		}
	}
}

func (c *coding) remarks() []Reason {
	var out []Reason
	as := "encoded as all zeros"
	if c.column.Base != "" {
		as = "counted as " + c.column.Base
	}
	if c.unknown > 0 && c.column.Rest > 0 {
		out = append(out, reasonf("column %s: texts other than the %d most frequent ones, such as %.40q, are %s (%s)",
			c.column.Name, len(c.column.Values), c.example, as, counted(c.unknown, "row", "rows")))
	} else if c.unknown > 0 {
		out = append(out, reasonf("column %s: texts that are not in the training data, such as %.40q, are %s (%s)",
			c.column.Name, c.example, as, counted(c.unknown, "row", "rows")))
	}
	if c.missing > 0 {
		out = append(out, reasonf("column %s: missing texts are %s (%s)", c.column.Name, as,
			counted(c.missing, "row", "rows")))
	}
	return out
}
