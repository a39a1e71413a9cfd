package dataset

import (
	"slices"
	"strconv"
	"strings"

	"rao"
)

// condition is one NAME=VALUE of OpenOptions.Where.
type condition struct {
	name, value string
	number      float64
	isNumber    bool
}

func parseWhere(where []string) ([]condition, error) {
	var out []condition
	for _, w := range where {
		name, value, ok := strings.Cut(w, "=")
		c := condition{name: strings.TrimSpace(name), value: strings.TrimSpace(strings.TrimPrefix(value, "="))}
		if !ok || c.name == "" {
			return nil, rao.Optionf("where", "{where=%s}: the condition must be NAME=VALUE, such as testIdx=0", w)
		}
		switch strings.ToLower(c.value) {
		case "true":
			c.number, c.isNumber = 1, true
		case "false":
			c.number, c.isNumber = 0, true
		default:
			v, err := strconv.ParseFloat(c.value, 64)
			c.number, c.isNumber = v, err == nil
		}
		out = append(out, c)
	}
	return out, nil
}

// holdsText reports whether a text value meets the condition: as text, or as a number if both are numbers.
func (c *condition) holdsText(s string) bool {
	s = strings.TrimSpace(s)
	if s == c.value {
		return true
	}
	if !c.isNumber {
		return false
	}
	switch strings.ToLower(s) {
	case "true":
		return c.number == 1
	case "false":
		return c.number == 0
	}
	v, err := strconv.ParseFloat(s, 64)
	return err == nil && v == c.number
}

// holds reports whether element i of a meets the condition.
func (c *condition) holds(a *Array, i int) bool {
	if a.Strings == nil {
		return c.isNumber && a.Value(i) == c.number
	}
	return c.holdsText(a.Strings[i])
}

// pickRows returns the rows that meet all conditions, or nil if there are no conditions. It returns an error if no row
// meets them. names are the variables that an error lists.
func pickRows(r *raw, n int, where, names []string) ([]int, error) {
	conditions, err := parseWhere(where)
	if err != nil || len(conditions) == 0 {
		return nil, err
	}
	keep := slices.Repeat([]bool{true}, n)
	for _, c := range conditions {
		a := r.vars[c.name]
		switch {
		case a == nil:
			return nil, rao.Optionf("where", "%s: {where=%s=%s}: the data have no variable %q%s",
				r.source, c.name, c.value, c.name, among(names))
		case a.Len() != n:
			return nil, rao.Optionf("where", "%s: {where=%s=%s}: variable %q: the number of values is %d, but the "+
				"number of observations is %d; name a variable with one value per observation",
				r.source, c.name, c.value, c.name, a.Len(), n)
		}
		any := false
		for i := range keep {
			keep[i] = keep[i] && c.holds(a, i)
			any = any || keep[i]
		}
		if !any {
			if severalConditions(c.value) {
				return nil, rao.Optionf("where", "%s: {where=%s=%s}: %w; give each condition its own {where}",
					r.source, c.name, c.value, ErrNoRows)
			}
			return nil, rao.Optionf("where", "%s: {where=%s=%s}: %w; %q has the values %s",
				r.source, c.name, c.value, ErrNoRows, c.name, someValues(a))
		}
	}
	index := make([]int, 0, n)
	for i, k := range keep {
		if k {
			index = append(index, i)
		}
	}
	return index, nil
}

// severalConditions reports whether a value seems to contain another condition, as in a=1,b=2.
func severalConditions(value string) bool {
	_, rest, ok := strings.Cut(value, ",")
	return ok && strings.Contains(rest, "=")
}

// among lists the variables of a file for an error message.
func among(names []string) string {
	if len(names) == 0 {
		return ", or any other variable for selecting rows"
	}
	names = slices.Sorted(slices.Values(names))
	return "; they have " + strings.Join(names, ", ")
}

// someValues lists the first few distinct values of an array.
func someValues(a *Array) string {
	var seen []string
	for i := range a.Len() {
		if s := a.Text(i); !slices.Contains(seen, s) {
			if len(seen) == 8 {
				seen = append(seen, "…")
				break
			}
			seen = append(seen, s)
		}
	}
	return strings.Join(seen, ", ")
}
