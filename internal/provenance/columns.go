package provenance

import (
	"fmt"
	"strconv"

	"rao"
	"rao/internal/naming"
)

// ColumnsError means that the columns of statistics cannot be matched by name.
type ColumnsError struct {
	Missing []string // required columns that are missing
	Unknown []string // columns that are not required
	Twice   string   // a name that two columns have
	Parts   []int    // for a merge: the part that sets the columns, and the part with other columns, from 0
}

// OrderColumns is [naming.Order] for columns, with the mismatch as an error.
func OrderColumns(want, have []string) ([]int, error) {
	order, bad := naming.Order(want, have)
	if bad != nil {
		return nil, &ColumnsError{Missing: bad.Missing, Unknown: bad.Unknown, Twice: bad.Twice}
	}
	return order, nil
}

// Error names the columns that differ and, for a merge, the numbers of the two parts.
func (e *ColumnsError) Error() string {
	if len(e.Parts) == 2 {
		return e.Text(func(part int) string { return "part " + strconv.Itoa(part+1) })
	}
	return e.columns()
}

// Unwrap returns a *[rao.ShapeError] with the same columns.
func (e *ColumnsError) Unwrap() error {
	return &rao.ShapeError{Missing: e.Missing, Unknown: e.Unknown, Message: e.Error()}
}

// Text returns the error message for a merge, with name(i) for part i.
func (e *ColumnsError) Text(name func(part int) string) string {
	return fmt.Sprintf("%s and %s do not have the same columns: %s", name(e.Parts[0]), name(e.Parts[1]), e.columns())
}

func (e *ColumnsError) columns() string {
	switch {
	case e.Twice != "":
		return fmt.Sprintf("two columns are named %q, so columns cannot be matched by name", e.Twice)
	case len(e.Unknown) == 0:
		return "missing: " + naming.List(e.Missing)
	case len(e.Missing) == 0:
		return "unexpected: " + naming.List(e.Unknown)
	}
	return fmt.Sprintf("missing: %s; unexpected: %s", naming.List(e.Missing), naming.List(e.Unknown))
}
