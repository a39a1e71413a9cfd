package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// CellWidth is the largest length, in characters, of a table cell on a terminal.
const CellWidth = 40

// Visible returns s with Go escapes in place of characters that a terminal would interpret, such as escape sequences
// and line breaks. Use it for names from files, which could otherwise move the cursor.
func Visible(s string) string {
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

// Cell is Visible, shortened to at most CellWidth characters.
func Cell(s string) string {
	s = Visible(s)
	if utf8.RuneCountInString(s) <= CellWidth {
		return s
	}
	r := []rune(s)
	return string(r[:CellWidth-1]) + "…"
}
