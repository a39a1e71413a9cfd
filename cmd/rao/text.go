package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// cellWidth is the length in characters of the longest cell of a table on a terminal.
const cellWidth = 40

// visible returns s with what a terminal would act on, such as escape sequences and
// line ends, written as Go does: a name from a file must not move the cursor.
func visible(s string) string {
	plain := true
	for _, r := range s {
		plain = plain && strconv.IsPrint(r) && r != utf8.RuneError
	}
	if plain {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) && r != utf8.RuneError {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// cell is a visible text that is not too long for a column.
func cell(s string) string {
	s = visible(s)
	if utf8.RuneCountInString(s) <= cellWidth {
		return s
	}
	r := []rune(s)
	return string(r[:cellWidth-1]) + "…"
}
