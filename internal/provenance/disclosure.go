package provenance

import (
	"fmt"

	"rao/internal/naming"
)

// SingleRowError reports classes with only one row. The mean of a class with one row reveals the row.
type SingleRowError struct{ Classes []string }

// Error lists the classes with one row.
func (e *SingleRowError) Error() string {
	if len(e.Classes) == 1 {
		return fmt.Sprintf("class %s has one row, and its mean is that row", e.Classes[0])
	}
	return fmt.Sprintf("classes %s have one row each, and their means are these rows", naming.List(e.Classes))
}

// CheckSingles returns a [*SingleRowError] with the names of the classes that have one row, or nil if no class has one
// row. Do not share statistics with such classes.
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

// Spanned returns the names of classes that have rows, but no more rows than columns. Their covariance is singular,
// which reveals the space spanned by their rows. A row outside this space was not part of the data, a row inside it
// probably was, and a few rows can be reconstructed from it.
func Spanned(classes []string, counts []int, columns int) []string {
	var names []string
	for i, n := range counts {
		if n > 0 && n <= columns {
			names = append(names, naming.Class(classes, i))
		}
	}
	return names
}
