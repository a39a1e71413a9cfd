// Package suggest finds the known names that are near an unknown one, and joins names to text.
package suggest

import (
	"fmt"
	"slices"
	"strings"
)

// mostListed is the largest number of names that [Choice] lists.
const mostListed = 20

// Choice describes the known names for someone who gave an unknown one: the nearest names, the only name, or all names
// if none is near. many is true if no name is near and there are too many to list; the text then has three of them.
func Choice(name string, known []string) (text string, many bool) {
	near := Nearest(name, known)
	if len(known) == 1 {
		near = known
	}
	switch {
	case len(known) == 0:
		return "none is available", false
	case len(near) > 0:
		return fmt.Sprintf("did you mean %s?", Or(near)), false
	case len(known) > mostListed:
		return fmt.Sprintf("there are %d, such as %s", len(known), Or(closest(name, known))), true
	}
	return "choose from " + strings.Join(known, ", "), false
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
