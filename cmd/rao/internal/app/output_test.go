package app

import (
	"testing"

	"rao/internal/testkit"
)

// A line of a table breaks between words, and not between a number and its unit.
func TestTablesKeepNumbersWithTheirUnits(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"6.9 ms", 3, []string{"6.9 ms"}},
		{"97.00 %", 5, []string{"97.00 %"}},
		{"mean of all classes", 8, []string{"mean of", "all", "classes"}},
		{"1 2 3", 1, []string{"1", "2", "3"}},
		{"short", 9, []string{"short"}},
	} {
		testkit.EqualSlices(t, wrapWords(c.text, c.width), c.want, c.text, "in", c.width, "columns")
	}
}
