// Package naming matches columns and channels by their names, and names classes.
package naming

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mismatch says why names cannot be matched.
type Mismatch struct {
	Missing []string // that only the first list has
	Unknown []string // that only the second list has
	Twice   string   // a name that the second list has twice
}

// Order returns for each wanted name its place in have, nil when they are the same in the same
// order or one of the lists is unknown. The mismatch is nil when all names can be matched.
func Order(want, have []string) ([]int, *Mismatch) {
	if want == nil || have == nil || slices.Equal(want, have) {
		return nil, nil
	}
	place := make(map[string]int, len(have))
	for i, name := range have {
		if _, twice := place[name]; twice {
			return nil, &Mismatch{Twice: name}
		}
		place[name] = i
	}
	order := make([]int, len(want))
	var missing []string
	for i, name := range want {
		k, ok := place[name]
		if !ok {
			missing = append(missing, name)
		}
		order[i] = k
		delete(place, name)
	}
	unknown := slices.DeleteFunc(slices.Clone(have), func(name string) bool { _, left := place[name]; return !left })
	if len(missing) > 0 || len(unknown) > 0 {
		return nil, &Mismatch{Missing: missing, Unknown: unknown}
	}
	return order, nil
}

// Class returns the name of class i, its number if it has none.
func Class(classes []string, i int) string {
	if i < len(classes) && classes[i] != "" {
		return classes[i]
	}
	return strconv.Itoa(i)
}

// List joins names, ten at most.
func List(names []string) string {
	const most = 10
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	}
	return strings.Join(names, ", ")
}
