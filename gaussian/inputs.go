package gaussian

import (
	"fmt"
	"slices"

	"rao/internal/linalg/vec"
	"rao/internal/recipes"
	"rao/recipe"
)

// Inputs describes how the rows of a table became the vectors summarized by statistics. A model fitted to the
// statistics reads other tables in the same way.
type Inputs struct {
	Table *recipe.Encoding `json:"table"`          // the columns of the table; never nil
	Fill  []float64        `json:"fill,omitempty"` // replaces missing values, one per column; nil if none is missing
}

// validate returns an error unless the inputs describe vectors of n values with the given names.
func (in *Inputs) validate(columns []string, n int) error {
	switch {
	case in == nil:
		return nil
	case in.Table == nil:
		return fmt.Errorf("the inputs of the statistics have no table; compute the statistics again")
	case in.Table.Columns != nil && !slices.Equal(in.Table.Names(), columns):
		return fmt.Errorf("the columns of the statistics differ from the columns of their table; compute the " +
			"statistics again")
	case in.Fill != nil && len(in.Fill) != n:
		return fmt.Errorf("the statistics have %d replacements for missing values for %d columns; every column "+
			"needs one, so compute the statistics again", len(in.Fill), n)
	}
	if j := vec.NotFinite(in.Fill); j >= 0 {
		return fmt.Errorf("the replacement for missing values in column %d is %v; it must be finite, so compute "+
			"the statistics again", j, in.Fill[j])
	}
	return in.Table.Validate()
}

// reordered returns the inputs with the values and names in another order, or nil if the table cannot be reordered.
func (in *Inputs) reordered(names []string, order []int) *Inputs {
	if in == nil {
		return nil
	}
	t := in.Table
	if t.Columns != nil {
		if t = recipes.Reordered(t, names); t == nil {
			return nil
		}
	}
	out := &Inputs{Table: t}
	if in.Fill != nil {
		out.Fill = reordered(in.Fill, order)
	}
	return out
}

// joinInputs combines the known inputs of parts with the given numbers of rows. It returns an error that names the
// column if parts were read in different ways. A part without known inputs fits all others.
func joinInputs(all []*Inputs, rows []int) (*Inputs, error) {
	first := -1
	for p, in := range all {
		switch {
		case in == nil:
		case first < 0:
			first = p
		default:
			known := all[first]
			if text := recipes.Contradicts(known.Table, in.Table); text != "" {
				return nil, fmt.Errorf("parts %d and %d were read from tables in different ways (%s); compute the "+
					"statistics in the same way", first+1, p+1, text)
			}
			for j, v := range known.Fill {
				if len(in.Fill) != len(known.Fill) || in.Fill[j] != v {
					return nil, fmt.Errorf("parts %d and %d replace missing values by different numbers; leave out "+
						"rows with missing values, or fill them in before you compute the statistics", first+1, p+1)
				}
			}
		}
	}
	if first < 0 {
		return nil, nil
	}
	return all[first].withShares(all, rows), nil
}

// withShares returns the inputs with the shares of missing values among the rows of all parts for which they are
// known.
func (in *Inputs) withShares(all []*Inputs, rows []int) *Inputs {
	t := *in.Table
	t.Columns = slices.Clone(t.Columns)
	for k := range t.Columns {
		missing, n := 0.0, 0
		for p, part := range all {
			if part != nil {
				missing += part.Table.Columns[k].Missing * float64(rows[p])
				n += rows[p]
			}
		}
		if t.Columns[k].Missing = 0; n > 0 {
			t.Columns[k].Missing = min(1, missing/float64(n))
		}
	}
	return &Inputs{Table: &t, Fill: in.Fill}
}
