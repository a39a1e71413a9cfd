package provenance

import (
	"fmt"
	"strconv"

	"rao/internal/naming"
)

// ColumnsError is the error for statistics whose columns cannot be matched by name.
type ColumnsError struct {
	Missing []string // columns that are wanted and not there
	Unknown []string // columns that are there and not wanted
	Twice   string   // a name that two columns have
	Parts   []int    // of a merge: the part that decides on the columns, and that which has others, from 0
}

// Error names the columns.
func (e *ColumnsError) Error() string {
	if len(e.Parts) == 2 {
		return e.Text(func(part int) string { return "part " + strconv.Itoa(part+1) })
	}
	return e.columns()
}

// Text is Error of a merge with names of the parts.
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
