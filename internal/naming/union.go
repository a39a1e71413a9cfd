package naming

import (
	"slices"
	"strconv"
	"strings"
)

// Union returns the names in any of the lists: in the order of the first if all lists are equal, in numeric order if
// all names are numbers, and otherwise in lexical order.
func Union(lists [][]string) []string {
	if !slices.ContainsFunc(lists, func(names []string) bool { return !slices.Equal(names, lists[0]) }) {
		return lists[0]
	}
	var names []string
	numeric := true
	for _, list := range lists {
		for _, name := range list {
			if !slices.Contains(names, name) {
				names = append(names, name)
				_, err := strconv.ParseFloat(name, 64)
				numeric = numeric && err == nil
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		if numeric {
			x, _ := strconv.ParseFloat(a, 64)
			y, _ := strconv.ParseFloat(b, 64)
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
		}
		return strings.Compare(a, b)
	})
	return names
}
