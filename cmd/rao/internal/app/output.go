package app

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"rao/dataset"
	"rao/internal/text"
)

// Emit prints the result of a command. With --json it prints v, and adds the readings and the provenance if v is an
// object. Otherwise it calls print.
func (a *App) Emit(v any, print func()) error {
	if !a.JSON {
		print()
		return nil
	}
	b, err := text.JSON(v)
	if err == nil && bytes.HasPrefix(b, []byte("{")) && len(b) > 2 {
		var more []byte
		more, err = text.JSON(struct {
			Readings   []*dataset.Reading `json:"readings,omitempty"`
			Provenance runRecord          `json:"provenance"`
		}{a.readings, a.provenance})
		if err == nil {
			b = slices.Concat(b[:len(b)-1], []byte(","), more[1:])
		}
	}
	if err == nil {
		_, err = a.Out.Write(append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot write JSON: %w", err)
	}
	return nil
}

// Note prints a message to standard error, unless --quiet is given.
func (a *App) Note(format string, args ...any) {
	if !a.Quiet {
		a.aboveBar(func() {
			fmt.Fprintln(a.Err, text.Visible(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; ")))
		})
	}
}

// Printable is the largest number of rows or columns of a matrix that is printed on a terminal.
const Printable = 20

// tableWidth is the limit for the width of a table, in terminal columns.
const tableWidth = 100

// Table prints rows in aligned columns on standard output. If the table would be wider than tableWidth, cells in its
// widest columns are wrapped.
func (a *App) Table(header []string, rows [][]string) {
	rows = append([][]string{header}, rows...)
	limits := columnWidths(rows)
	widths, wrapped := make([]int, len(limits)), make([][][]string, len(rows)) // the lines of each cell
	for i, row := range rows {
		for j, c := range row {
			lines := wrapWords(text.Visible(c), limits[j])
			for _, line := range lines {
				widths[j] = max(widths[j], utf8.RuneCountInString(line))
			}
			wrapped[i] = append(wrapped[i], lines)
		}
	}
	for _, cells := range wrapped {
		height := 1
		for _, lines := range cells {
			height = max(height, len(lines))
		}
		for k := range height {
			var line strings.Builder
			for j, lines := range cells {
				cell := ""
				if k < len(lines) {
					cell = lines[k]
				}
				fmt.Fprintf(&line, "%-*s", widths[j]+tableGap, cell)
			}
			fmt.Fprintln(a.Out, strings.TrimRight(line.String(), " "))
		}
	}
}

const tableGap = 2 // spaces between columns

// columnWidths returns the width of each column, which is the width of its longest cell. If the table would be too
// wide, the widest columns become narrower, but not narrower than their longest word.
func columnWidths(rows [][]string) []int {
	var widths, least []int
	total := -tableGap
	for _, row := range rows {
		for j, c := range row {
			if j == len(widths) {
				widths, least = append(widths, 0), append(least, 0)
				total += tableGap
			}
			n := utf8.RuneCountInString(text.Visible(c))
			total += max(0, n-widths[j])
			widths[j] = max(widths[j], n)
			for _, word := range wordsOf(text.Visible(c)) {
				least[j] = max(least[j], utf8.RuneCountInString(word))
			}
		}
	}
	for ; total > tableWidth; total-- {
		widest := -1
		for j, w := range widths {
			if w > least[j] && (widest < 0 || w > widths[widest]) {
				widest = j
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// wrapWords breaks a text at spaces into lines of at most width characters. A longer word gets a line to itself.
func wrapWords(s string, width int) []string {
	if utf8.RuneCountInString(s) <= width {
		return []string{s}
	}
	var lines []string
	for _, word := range wordsOf(s) {
		if n := len(lines) - 1; n >= 0 && utf8.RuneCountInString(lines[n])+1+utf8.RuneCountInString(word) <= width {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// wordsOf splits a line into pieces that must not be broken: words, and numbers with their units.
func wordsOf(s string) []string {
	var words []string
	for _, word := range strings.Fields(s) {
		if n := len(words) - 1; n >= 0 && !strings.ContainsAny(word, "0123456789") {
			if _, err := strconv.ParseFloat(words[n], 64); err == nil {
				words[n] += " " + word
				continue
			}
		}
		words = append(words, word)
	}
	return words
}

// cause removes the operation and the path from an os error, because the message already contains them.
func cause(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok || u.Unwrap() == nil {
			return err
		}
		err = u.Unwrap()
	}
}
