// Package naming matches columns and channels by name, and names classes.
package naming

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mismatch describes why names cannot be matched.
type Mismatch struct {
	Missing []string // only in the first list
	Unknown []string // only in the second list
	Twice   string   // a name that occurs twice in the second list
}

// Order returns, for each wanted name, the index in have. It returns nil if the names are equal and in the same order,
// or if either list is nil. The mismatch is nil if all names can be matched.
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

// Twice returns the first name that occurs a second time, if there is one.
func Twice(names []string) (name string, ok bool) {
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if seen[n] {
			return n, true
		}
		seen[n] = true
	}
	return "", false
}

// CheckColumns returns an error if two columns have the same name.
func CheckColumns(names []string) error {
	name, ok := Twice(names)
	if !ok {
		return nil
	}
	first := slices.Index(names, name)
	return fmt.Errorf("columns %d and %d (counted from 0) are both named %q; rename one", first,
		first+1+slices.Index(names[first+1:], name), name)
}

// Class returns the name of class i, or its number if it has no name.
func Class(classes []string, i int) string {
	if i < len(classes) && classes[i] != "" {
		return classes[i]
	}
	return strconv.Itoa(i)
}

// Classes returns the names of n classes, or their numbers if names is nil.
func Classes(names []string, n int) []string {
	if names != nil {
		return names
	}
	names = make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// List joins up to ten names with commas, followed by the number of remaining names.
func List(names []string) string {
	const most = 10
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	}
	return strings.Join(names, ", ")
}
