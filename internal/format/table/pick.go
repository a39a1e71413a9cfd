package table

import (
	"bytes"
	"fmt"
	"slices"
)

// Want specifies how [Reader.Pick] reads a column.
type Want uint8

const (
	Nothing Want = iota
	Number
	Text
)

// NumberError means that a field is not a number.
type NumberError struct {
	Column int
	Field  []byte
}

// Error implements error.
func (e *NumberError) Error() string {
	return fmt.Sprintf("column %d: %.40q is not a number", e.Column, e.Field)
}

// Pick reads the next row like [Reader.Next], for a caller that knows which columns it needs. It writes the numbers to
// values, in column order, and returns the fields; only the fields of text columns are valid. It needs a third of the
// time of Next with [Reader.Float]. If a field is not a number, the error is a *NumberError.
func (t *Reader) Pick(want []Want, values []float64) ([][]byte, error) {
	line, at, err := t.nextLine()
	if err != nil {
		return nil, err
	}
	plain := t.Comma != ' ' && t.blank == 0 && !t.opt.DecimalComma && len(want) == len(t.Columns) &&
		bytes.IndexByte(line, '"') < 0
	if plain && t.pick(line, want, values) {
		t.counted(at)
		return t.fields, nil
	}
	if err := t.fieldsOf(line, at); err != nil { // returns a precise error
		return nil, err
	}
	k := 0
	for j, field := range t.fields {
		if want[j] != Number {
			continue
		}
		v, ok := t.Float(field)
		if !ok {
			return nil, &NumberError{j, field}
		}
		values[k] = v
		k++
	}
	return t.fields, nil
}

// pick processes a line without quotes and reports whether all its fields were valid.
func (t *Reader) pick(line []byte, want []Want, values []float64) bool {
	t.fields = slices.Grow(t.fields[:0], len(want))[:len(want)]
	at, k := 0, 0
	for j, w := range want {
		if at > len(line) { // too few fields
			return false
		}
		if w == Number {
			if v, n, ok := scan(line[at:]); ok && (at+n == len(line) || line[at+n] == t.Comma) {
				values[k] = v
				k++
				at += n + 1
				continue
			}
		}
		n := bytes.IndexByte(line[at:], t.Comma)
		if n < 0 {
			n = len(line) - at
		}
		field := line[at : at+n]
		at += n + 1
		switch w {
		case Number:
			v, ok := ParseFloat(bytes.TrimSpace(field))
			if !ok {
				return false
			}
			values[k] = v
			k++
		case Text:
			t.fields[j] = bytes.TrimSpace(field)
		}
	}
	return at == len(line)+1
}
