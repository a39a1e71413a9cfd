package table

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"rao"
)

// names determines whether the table has a header, and sets Header, Columns and Text.
func (t *Reader) names(header *bool) error {
	if err := t.split(t.first, t.at); err != nil {
		return err
	}
	first := slices.Clone(t.fields)
	var second [][]byte
	if t.second != nil {
		if err := t.split(t.second, t.at2); err != nil {
			return err
		}
		second = slices.Clone(t.fields)
	}
	if header != nil {
		t.Header = *header
	} else {
		var err error
		if t.Header, err = t.looksLikeHeader(first, second); err != nil {
			return err
		}
	}
	row := first
	if t.Header {
		t.first, row = nil, second
	}
	for i, f := range first {
		name := fmt.Sprint(i)
		if t.Header {
			name = strings.TrimSpace(string(f))
		}
		t.Columns = append(t.Columns, name)
		_, number := t.number(row, i)
		t.Text = append(t.Text, i < len(row) && !number && len(row[i]) > 0)
	}
	if t.Header && t.Comma != ' ' {
		t.leaveOutBlank(row)
	}
	return t.distinctNames()
}

// leaveOutBlank leaves out the columns at the end that have neither a name nor a value in the first row. dropBlank
// checks the other rows.
func (t *Reader) leaveOutBlank(row [][]byte) {
	n := len(t.Columns)
	blank := func(i int) bool {
		return t.Columns[i] == "" && (row == nil || len(row) == n && len(row[i]) == 0)
	}
	for last := n - 1; last > 0 && blank(last); last-- {
		t.blank++
	}
	t.Columns, t.Text = t.Columns[:n-t.blank], t.Text[:n-t.blank]
}

// distinctNames returns an error if two columns have the same name, because their name would be ambiguous. Several
// columns may have no name.
func (t *Reader) distinctNames() error {
	at := make(map[string]int, len(t.Columns))
	for i, name := range t.Columns {
		if j, ok := at[name]; ok && name != "" {
			return rao.Optionf("header", "%s: columns %d and %d (counted from 0) are both named %q; rename one of "+
				"them, or set {header=no} if line %d contains values", t.path, j, i, name, t.at)
		}
		at[name] = i
	}
	return nil
}

// number reads field i of a row as a number. Empty fields are not numbers, nor are true and false, which may be
// labels.
func (t *Reader) number(row [][]byte, i int) (float64, bool) {
	if i >= len(row) || len(row[i]) == 0 {
		return 0, false
	}
	v, ok := t.decimal(row[i])
	return v, ok && !math.IsNaN(v)
}

// looksLikeHeader compares the first line with the second. Consider the columns in which the second line has numbers. A
// header has only text in these columns, and a row has only numbers. For any other first line, the error asks for the
// header option. It also does so if numbers are next to a usual name for labels, or count up like names. If the second
// line is missing or has no number, the first line is a header if a column other than the last has text. A single
// column of text has a header only if its first line is a usual name for labels.
func (t *Reader) looksLikeHeader(first, second [][]byte) (bool, error) {
	text, numbers, label := 0, []float64(nil), false
	example := 0
	for i := range first {
		if _, ok := t.number(second, i); !ok {
			label = label || LabelName(string(first[i]))
			continue
		}
		if v, ok := t.number(first, i); ok {
			numbers = append(numbers, v)
		} else if len(first[i]) > 0 {
			text++
			example = i
		}
	}
	switch {
	case text == 0 && numbers == nil:
		return t.wordsLookLikeHeader(first), nil
	case numbers == nil:
		return true, nil
	case text > 0:
		return false, t.ask(fmt.Sprintf("%.40q of column %d is not a number, although other columns have numbers there",
			first[example], example))
	case label:
		return false, t.ask("it has a usual name for labels, and numbers for the other columns")
	case t.numbered(numbers, first, second):
		return false, t.ask("its numbers count up, like names")
	}
	return false, nil
}

func (t *Reader) ask(why string) error {
	return rao.Optionf("header", "%s: line %d may contain the column names or the first row: %s; set {header=yes} or "+
		"{header=no}", t.path, t.at, why)
}

// wordsLookLikeHeader reports whether the first line is a header if the second line has no numbers; see
// looksLikeHeader.
func (t *Reader) wordsLookLikeHeader(first [][]byte) bool {
	text := make([]bool, len(first))
	for i := range first {
		_, number := t.number(first, i)
		text[i] = !number && len(first[i]) > 0
	}
	if len(text) == 1 {
		return LabelName(string(first[0]))
	}
	return slices.Contains(text[:len(text)-1], true)
}

// numbered reports whether the numbers of the first line are likely to be column names: 0, 1, 2, ..., or increasing
// frequencies or years, if the values of the second line look different.
func (t *Reader) numbered(numbers []float64, first, second [][]byte) bool {
	const fewFractions, few = 3, 5 // integers in the second line are weaker evidence
	if len(numbers) < fewFractions || !increasing(numbers) {
		return false
	}
	var below []float64
	fractions := 0
	for i := range first {
		if v, ok := t.number(second, i); ok {
			below = append(below, v)
			if v != math.Trunc(v) {
				fractions++
			}
		}
	}
	start := numbers[0]
	consecutive := (start == 0 || start == 1) && numbers[len(numbers)-1] == start+float64(len(numbers)-1)
	return fractions == len(below) || consecutive && fractions > 0 || consecutive && len(numbers) >= few &&
		!increasing(below)
}

// increasing reports whether all values are integers in strictly increasing order.
func increasing(v []float64) bool {
	for i := range v {
		if v[i] != math.Trunc(v[i]) || i > 0 && v[i] <= v[i-1] {
			return false
		}
	}
	return true
}

// LabelName reports whether name is a usual name for a column of labels.
func LabelName(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "label", "labels", "class", "target", "y":
		return true
	}
	return false
}

// delimiter finds the delimiter from the first two lines: the first of tab, semicolon and comma that splits both into
// the same number of fields; if no character does, the delimiter of the first line.
func (t *Reader) delimiter() byte {
	for _, c := range []byte("\t;,") {
		if c == ',' && t.opt.DecimalComma {
			continue
		}
		if n := count(t.first, c); n > 0 && t.second != nil && count(t.second, c) == n {
			return c
		}
	}
	c := Delimiter(t.first)
	if c == ',' && t.opt.DecimalComma {
		return ' '
	}
	return c
}

// count returns the number of times c occurs outside quotes.
func count(line []byte, c byte) int {
	n, quoted := 0, false
	for _, b := range line {
		switch {
		case b == '"':
			quoted = !quoted
		case b == c && !quoted:
			n++
		}
	}
	return n
}

// Fields yields the fields of a line without quotes, without the space around them. If comma is a blank, runs of blanks
// and tabs separate the fields.
func Fields(line []byte, comma byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for more := true; more; {
			var field []byte
			if comma != ' ' {
				field, line, more = bytes.Cut(line, []byte{comma})
				field = bytes.TrimSpace(field)
			} else if i := bytes.IndexAny(line, " \t"); i >= 0 {
				field, line = line[:i], bytes.TrimLeft(line[i:], " \t")
			} else {
				field, more = line, false
			}
			if !yield(field) {
				return
			}
		}
	}
}

// Delimiter finds the delimiter of a line: the first of tab, comma and semicolon that occurs outside quotes; otherwise
// a blank if the line contains blanks, or a comma.
func Delimiter(line []byte) byte {
	for _, c := range []byte("\t,;") {
		if count(line, c) > 0 {
			return c
		}
	}
	if bytes.ContainsAny(bytes.TrimSpace(line), " ") {
		return ' '
	}
	return ','
}
