package recipes

import (
	"slices"

	"rao/recipe"
)

// Fills reports whether a model fills in the missing values.
func Fills(m recipe.Missing) bool { return m == recipe.MissingMedian || m == recipe.MissingMean }

// TableDim returns the number of values of an observation.
func TableDim(t *recipe.Table) int {
	n := 0
	for i := range t.Columns {
		n += t.Columns[i].Width()
	}
	return n
}

// Texts reports whether the column contains texts: categories or dates.
func Texts(c *recipe.Column) bool { return c.Values != nil || c.Date }

// Reordered returns the table with its columns in the order of the given value names, or nil if the values of a
// column are not next to each other in names.
func Reordered(t *recipe.Table, names []string) *recipe.Table {
	if slices.Equal(t.Names(), names) {
		return t
	}
	first := map[string]recipe.Column{}
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
