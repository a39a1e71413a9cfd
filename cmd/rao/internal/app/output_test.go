package app

import (
	"bytes"
	"strings"
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

// The columns to the right of a wrapped cell stay aligned.
func TestTablesAlignColumnsAfterWrappedCells(t *testing.T) {
	var b bytes.Buffer
	long := strings.Repeat("word ", 10)
	(&App{Out: &b, Err: &b}).Table([]string{"first", "second", "x", "last"},
		[][]string{{long, long, "1", "a"}, {"short", "short", "2", "b"}})
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	at := strings.Index(lines[0], "last")
	for i, cell := range map[int]string{1: "a", len(lines) - 1: "b"} {
		if len(lines) < 4 || strings.LastIndex(lines[i], cell) != at {
			t.Errorf("cell %q is not below its header:\n%s", cell, &b)
		}
	}
}
