package provenance

import (
	"fmt"

	"rao/internal/naming"
)

// SingleRowError reports classes that have one row, so that their mean reveals that row.
type SingleRowError struct{ Classes []string }

// Error names the classes.
func (e *SingleRowError) Error() string {
	if len(e.Classes) == 1 {
		return fmt.Sprintf("class %s has one row, and its mean is that row", e.Classes[0])
	}
	return fmt.Sprintf("classes %s have one row each, and their means are these rows", naming.List(e.Classes))
}

// CheckSingles returns a [*SingleRowError] that names the classes of one row, nil when there are
// none. Statistics that are shared should have none.
func CheckSingles(classes []string, counts []int) error {
	var single []string
	for i, n := range counts {
		if n == 1 {
			single = append(single, naming.Class(classes, i))
		}
	}
	if single == nil {
		return nil
	}
	return &SingleRowError{single}
}

// Spanned returns the names of classes with rows, but no more rows than columns. Their covariance is
// singular: a row outside its column span was not part of the data and a row inside was, and a few
// rows can be rebuilt from it.
func Spanned(classes []string, counts []int, columns int) []string {
	var names []string
	for i, n := range counts {
		if n > 0 && n <= columns {
			names = append(names, naming.Class(classes, i))
		}
	}
	return names
}
