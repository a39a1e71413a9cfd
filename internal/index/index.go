// Package index makes and uses lists of indices.
package index

import (
	"fmt"
	"slices"
)

// Range returns 0, 1, ... n−1.
func Range(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Sorted returns 0, 1, ... n−1 in the order of compare; the sort is stable.
func Sorted(n int, compare func(i, j int) int) []int {
	out := Range(n)
	slices.SortStableFunc(out, compare)
	return out
}

// Pick returns the values at the indices of, in their order; nil of nil values.
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

// Groups returns the indices of each of n labels, ascending. Labels outside 0 to n−1 panic.
func Groups(labels []int, n int) [][]int {
	out := make([][]int, n)
	for i, l := range labels {
		out[l] = append(out[l], i)
	}
	return out
}

// Counts returns how many labels there are of each class, 0 to n−1. The error names the first that is of none, by what
// it labels, such as "row".
func Counts(what string, labels []int, n int) ([]int, error) {
	counts := make([]int, n)
	for i, l := range labels {
		if l < 0 || l >= n {
			return nil, fmt.Errorf("%s %d has label %d, but there are %d classes", what, i, l, n)
		}
		counts[l]++
	}
	return counts, nil
}
