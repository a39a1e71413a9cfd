// Package examine finds faults and artifacts among matrices, and drift of data from the training data of a model.
package examine

import "slices"

// remaining returns the numbers below n that are not in list, which is in ascending order.
func remaining(n int, list []int) []int {
	var rest []int
	for k := range n {
		if _, found := slices.BinarySearch(list, k); !found {
			rest = append(rest, k)
		}
	}
	return rest
}
