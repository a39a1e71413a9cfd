// Package suggest builds the error for an unknown name. The error suggests the nearest names, or all names if none is
// near.
package suggest

import (
	"fmt"
	"slices"
	"strings"
)

// UnknownError is the error for an unknown name.
type UnknownError struct {
	Kind string // kind of the name, such as "metric" or "method"
	// Many is true if no known name is near, and there are too many names to list.
	Many bool

	text string
}

func (e *UnknownError) Error() string { return e.text }

// mostListed is the largest number of names that an error lists.
const mostListed = 20

// Unknown returns the *UnknownError for an unknown name of the given kind.
func Unknown(kind, name string, known []string) error {
	e := &UnknownError{Kind: kind, text: fmt.Sprintf("unknown %s %q; ", kind, name)}
	near := Nearest(name, known)
	switch {
	case len(known) == 0:
		e.text += "none is available"
	case len(near) > 0:
		e.text += fmt.Sprintf("did you mean %s?", Or(near))
	case len(known) > mostListed:
		e.Many = true
		e.text += fmt.Sprintf("there are %d, such as %s", len(known), Or(closest(name, known)))
	default:
		e.text += "choose from " + strings.Join(known, ", ")
	}
	return e
}

// closest returns the three known names that need the fewest edits.
func closest(name string, known []string) []string {
	low, sorted := strings.ToLower(name), slices.Clone(known)
	slices.SortStableFunc(sorted, func(a, b string) int {
		return distance(low, strings.ToLower(a)) - distance(low, strings.ToLower(b))
	})
	return sorted[:3]
}

// Or joins names with commas, and the last name with "or".
func Or(names []string) string { return join(names, " or ") }

// And joins names with commas, and the last name with "and".
func And(names []string) string { return join(names, " and ") }

// Some joins the first names, at most the given number, and counts the others.
func Some(names []string, most int) string {
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return And(names)
}

func join(names []string, before string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + before + names[last]
}

// Nearest returns up to three of the known names that are within a few edits of name, or that contain it: first the
// names that start with it, then the others, each nearest first.
func Nearest(name string, known []string) []string {
	type scored struct {
		name  string
		score int
	}
	var near []scored
	low := strings.ToLower(name)
	for _, k := range known {
		d := distance(low, strings.ToLower(k))
		if d > 1+len(k)/3 {
			if len(low) < 3 || !strings.Contains(strings.ToLower(k), low) {
				continue
			}
			d = len(k) // contained, but not near
		}
		if len(low) >= 3 && strings.HasPrefix(strings.ToLower(k), low) {
			d -= 1000 // before all others
		}
		if !slices.ContainsFunc(near, func(s scored) bool { return s.name == k }) {
			near = append(near, scored{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return a.score - b.score })
	out := make([]string, 0, 3)
	for _, s := range near[:min(3, len(near))] {
		out = append(out, s.name)
	}
	return out
}

// distance returns the Levenshtein distance with transpositions of neighbors.
func distance(a, b string) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
