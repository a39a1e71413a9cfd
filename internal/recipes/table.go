package recipes

import (
	"fmt"
	"reflect"
	"slices"

	"rao/internal/optionvalues"
	"rao/recipe"
)

// Fills reports whether a model fills in the missing values.
func Fills(m recipe.Missing) bool {
	return m == optionvalues.MissingMedian || m == optionvalues.MissingMean
}

// TableDim returns the number of values of an observation.
func TableDim(t *recipe.Encoding) int {
	n := 0
	for i := range t.Columns {
		n += Width(&t.Columns[i])
	}
	return n
}

// Width returns the number of values that the column has in an observation.
func Width(c *recipe.Column) int { return max(1, len(c.Values)) }

// ValueNames returns the names of the values of a column.
func ValueNames(c recipe.Column) []string {
	return (&recipe.Encoding{Columns: []recipe.Column{c}}).Names()
}

// Texts reports whether the column contains texts: categories or dates.
func Texts(c *recipe.Column) bool { return c.Values != nil || c.Date }

// Reordered returns the table with its columns in the order of the given value names, or nil if the values of a
// column are not next to each other in names.
func Reordered(t *recipe.Encoding, names []string) *recipe.Encoding {
	if slices.Equal(t.Names(), names) {
		return t
	}
	first := map[string]recipe.Column{}
	for _, c := range t.Columns {
		first[ValueNames(c)[0]] = c
	}
	out := *t
	out.Columns = nil
	for at := 0; at < len(names); {
		c, ok := first[names[at]]
		if !ok {
			return nil
		}
		out.Columns = append(out.Columns, c)
		at += Width(&c)
	}
	if !slices.Equal(out.Names(), names) {
		return nil
	}
	return &out
}

// Contradicts compares how two tables with the same value names are read. It describes the first difference, or
// returns "" if there is none. It ignores labels, row names, columns that are not used, and fractions of missing
// values.
func Contradicts(t, o *recipe.Encoding) string {
	if t.Missing != o.Missing {
		return fmt.Sprintf("missing values: %s and %s", t.Missing, o.Missing)
	}
	for i := range min(len(t.Columns), len(o.Columns)) {
		a, b := t.Columns[i], o.Columns[i]
		a.Missing, b.Missing, a.Rest, b.Rest = 0, 0, 0, 0
		if !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("column %s: %s and %s", t.Columns[i].Name, columnText(&t.Columns[i]),
				columnText(&o.Columns[i]))
		}
	}
	if len(t.Columns) != len(o.Columns) {
		return fmt.Sprintf("%d and %d columns", len(t.Columns), len(o.Columns))
	}
	return ""
}

func columnText(c *recipe.Column) string {
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
