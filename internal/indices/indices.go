// Package indices builds and applies lists of indices.
package indices

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rao"
)

// Range returns 0, 1, ... n−1.
func Range(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Spread returns n indices of 0..total−1, or all if there are fewer, ascending and evenly spaced.
func Spread(total, n int) []int {
	index := make([]int, min(total, n))
	for i := range index {
		index[i] = i * total / len(index)
	}
	return index
}

// Sorted returns 0, 1, ... n−1 sorted by compare. The sort is stable.
func Sorted(n int, compare func(i, j int) int) []int {
	out := Range(n)
	slices.SortStableFunc(out, compare)
	return out
}

// Others returns the numbers below n that are not in list, which is ascending.
func Others(n int, list []int) []int {
	rest := make([]int, 0, n)
	for k := range n {
		if _, found := slices.BinarySearch(list, k); !found {
			rest = append(rest, k)
		}
	}
	return rest
}

// Pick returns the values at the given indices, in their order. It returns nil if values is nil.
func Pick[T any](values []T, of []int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(of))
	for i, k := range of {
		out[i] = values[k]
	}
	return out
}

// Groups returns, for each of n labels, the indices of its items in ascending order. It panics if a label is outside 0
// to n−1.
func Groups(labels []int, n int) [][]int {
	out := make([][]int, n)
	for i, l := range labels {
		out[l] = append(out[l], i)
	}
	return out
}

// GroupsInOrder works like [Groups] for n items whose groups are any numbers. The groups are in the order of their
// first item. If groups is nil, all items are in one group.
func GroupsInOrder(groups []int, n int) [][]int {
	place := map[int]int{}
	var out [][]int
	for k := range n {
		g := 0
		if groups != nil {
			g = groups[k]
		}
		at, ok := place[g]
		if !ok {
			at = len(out)
			place[g], out = at, append(out, nil)
		}
		out[at] = append(out[at], k)
	}
	return out
}

// Ascending reports whether index is not empty, strictly ascending, and within 0..n−1.
func Ascending(index []int, n int) bool {
	last := -1
	for _, i := range index {
		if i <= last || i >= n {
			return false
		}
		last = i
	}
	return last >= 0
}

// Counts returns the number of labels of each class, 0 to n−1. If labels are out of range, the error names the first
// one. what is the name of a labeled item, for example "row".
func Counts(what string, labels []int, n int) ([]int, error) {
	if err := CheckLabels(what, labels, n); err != nil {
		return nil, err
	}
	return Tally(labels, n), nil
}

// Count returns the number of values that have a property.
func Count[T any](values []T, has func(T) bool) (n int) {
	for _, v := range values {
		if has(v) {
			n++
		}
	}
	return n
}

// Tally returns the number of labels of each class, 0 to n−1. It panics if a label is out of range.
func Tally(labels []int, n int) []int {
	counts := make([]int, n)
	for _, l := range labels {
		counts[l]++
	}
	return counts
}

// NumClasses returns the number of names or, if names is nil, the largest label plus one. It returns an error like
// [CheckLabels] for a label without a name. Without names, labels must be less than len(labels): with a larger label, a
// class would be empty, and its number could exhaust the memory.
func NumClasses(what string, labels []int, names []string) (int, error) {
	if names != nil {
		return len(names), CheckLabels(what, labels, len(names))
	}
	err := CheckLabels(what, labels, len(labels))
	if err != nil || len(labels) == 0 {
		return 0, err
	}
	return slices.Max(labels) + 1, nil
}

// CheckOnePer returns a *[rao.ShapeError] unless got is n. got is the number of values, for example labels, and n the
// number of items, for example rows; what and of are their names.
func CheckOnePer(what string, got int, of string, n int) error {
	if got == n {
		return nil
	}
	many := of + "s"
	if stem, ok := strings.CutSuffix(of, "ix"); ok {
		many = stem + "ices"
	}
	return &rao.ShapeError{Got: got, Want: n, Message: fmt.Sprintf("the number of %[1]ss is %[2]d, but the number of "+
		"%[3]s is %[4]d; every %[5]s needs one %[1]s", what, got, many, n, of)}
}

// CheckColumns returns a *[rao.ShapeError] unless got is want. They are the numbers of columns of rows and of
// owner, such as "the statistics have".
func CheckColumns(got, want int, owner string) error {
	if got == want {
		return nil
	}
	return &rao.ShapeError{Got: got, Want: want,
		Message: fmt.Sprintf("the rows have %d columns, but %s %d; give the same columns", got, owner, want)}
}

// CheckOrder returns a *[rao.ShapeError] unless got, the order of matrices, is want, the order of a model.
func CheckOrder(got, want int) error {
	if got == want {
		return nil
	}
	return &rao.ShapeError{Got: got, Want: want, Message: fmt.Sprintf("the matrices have order %d, but the model was "+
		"fitted to matrices of order %d; give the same channels", got, want)}
}

// CheckLabels returns the error of [CheckLabel] for the first label that is not 0 to n−1.
func CheckLabels(what string, labels []int, n int) error {
	for i, l := range labels {
		if err := CheckLabel(what, i, l, n); err != nil {
			return err
		}
	}
	return nil
}

// CheckLabel returns a *[rao.ValueError] unless the label of item i is 0 to n−1. what is the name of the item, for
// example "row". If n is [math.MaxInt], every label that is not negative is valid.
func CheckLabel(what string, i, label, n int) error {
	if 0 <= label && label < n {
		return nil
	}
	return labelError(what, i, label, n)
}

// labelError is not part of CheckLabel, which is inlined.
func labelError(what string, i, label, n int) error {
	accepted := "0 or more"
	if n < math.MaxInt {
		accepted = fmt.Sprintf("from 0 to %d", n-1)
	}
	return &rao.ValueError{Row: i, Col: -1, Value: float64(label),
		Message: fmt.Sprintf("%s %d has label %d; labels must be %s", what, i, label, accepted)}
}
