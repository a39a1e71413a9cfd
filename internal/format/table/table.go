// Package table reads delimited text: comma, tab, semicolon or blanks between the
// fields, with or without a line of column names, plain or gzip-compressed. It
// hands out one row at a time, so a file may be larger than memory.
//
// Lines that are empty or start with # are skipped. A field may stand in double
// quotes, in which a quote is doubled; a quoted field does not span lines. Every
// row must have as many fields as the first.
package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"rao/internal/format/gunzip"
)

// MaxLine is the length in bytes of the longest line that is read.
const MaxLine = 64 << 20

// Options say what is known about a file.
type Options struct {
	Comma  byte  // the delimiter; 0 finds it from the first line
	Header *bool // whether the first line names the columns; nil finds out
}

// Reader reads the rows of a table.
type Reader struct {
	Header  bool     // the first line named the columns
	Columns []string // their names; "0", "1", ... without a header

	path   string
	b      *bufio.Reader
	c      io.Closer
	comma  byte
	line   int // number of the line last read, from 1
	row    int // rows returned so far
	text   []byte
	fields [][]byte
	first  []byte // a line read ahead, to be returned by Next
	at     int    // its number
	second []byte
	at2    int
}

// Open opens a table. Errors name the path.
func Open(path string, opt Options) (*Reader, error) {
	f, err := gunzip.Open(path)
	if err != nil {
		return nil, err
	}
	if opt.Comma == 0 && strings.HasSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".tsv") {
		opt.Comma = '\t'
	}
	r, err := NewReader(f, path, opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.c = f
	return r, nil
}

// NewReader reads a table from r; name is used in messages.
func NewReader(r io.Reader, name string, opt Options) (*Reader, error) {
	t := &Reader{path: name, b: bufio.NewReaderSize(r, 1<<16), comma: opt.Comma}
	if bom, _ := t.b.Peek(3); string(bom) == "\xef\xbb\xbf" {
		_, _ = t.b.Discard(3)
	}
	first, err := t.readLine()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: the table is empty", name)
	}
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(first, 0) >= 0 {
		return nil, fmt.Errorf("%s: not text: line %d has a zero byte", name, t.line)
	}
	t.first, t.at = bytes.Clone(first), t.line
	if t.comma == 0 {
		t.comma = Delimiter(t.first)
	}
	second, err := t.readLine()
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err == nil {
		t.second, t.at2 = bytes.Clone(second), t.line
	}
	if err := t.names(opt.Header); err != nil {
		return nil, err
	}
	return t, nil
}

// names decides on the header and fills Columns.
func (t *Reader) names(header *bool) error {
	if err := t.split(t.first, t.at); err != nil {
		return err
	}
	for i, f := range t.fields {
		t.Columns = append(t.Columns, strings.TrimSpace(string(f)))
		if header != nil && !*header {
			t.Columns[i] = fmt.Sprint(i)
		}
	}
	switch {
	case header != nil:
		t.Header = *header
	default:
		var err error
		if t.Header, err = t.looksLikeHeader(); err != nil {
			return err
		}
	}
	if t.Header {
		t.first = nil
		return nil
	}
	for i := range t.Columns {
		t.Columns[i] = fmt.Sprint(i)
	}
	return nil
}

// looksLikeHeader compares the first line with the second: a header has text where
// the second line has a number, or, when the second line is missing or has text
// there too, text in a column that is not the last. A single column of text has a
// header only if its first line is a usual name for labels.
func (t *Reader) looksLikeHeader() (bool, error) {
	text := make([]bool, len(t.Columns))
	for i, name := range t.Columns {
		_, ok := ParseFloat([]byte(name))
		text[i] = !ok
	}
	if t.second != nil {
		if err := t.split(t.second, t.at2); err != nil {
			return false, err
		}
		for i, f := range t.fields {
			if _, ok := ParseFloat(f); ok && len(f) > 0 && i < len(text) && text[i] {
				return true, nil
			}
		}
	}
	if len(text) == 1 {
		return LabelName(t.Columns[0]), nil
	}
	return slices.Contains(text[:len(text)-1], true), nil
}

// LabelName reports whether name is a usual name for a column of labels.
func LabelName(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "label", "labels", "class", "target", "y":
		return true
	}
	return false
}

// Delimiter finds the delimiter of a line: the first of tab, comma and semicolon
// that occurs outside quotes, blanks otherwise.
func Delimiter(line []byte) byte {
	for _, c := range []byte("\t,;") {
		quoted := false
		for _, b := range line {
			if b == '"' {
				quoted = !quoted
			}
			if b == c && !quoted {
				return c
			}
		}
	}
	if bytes.ContainsAny(bytes.TrimSpace(line), " ") {
		return ' '
	}
	return ','
}

// Next returns the fields of the next row, valid until the next call, and io.EOF
// after the last row.
func (t *Reader) Next() ([][]byte, error) {
	var line []byte
	at := 0
	switch {
	case t.first != nil:
		line, at, t.first = t.first, t.at, nil
	case t.second != nil:
		line, at, t.second = t.second, t.at2, nil
	default:
		var err error
		if line, err = t.readLine(); err != nil {
			return nil, err
		}
		at = t.line
	}
	if err := t.split(line, at); err != nil {
		return nil, err
	}
	if len(t.fields) != len(t.Columns) {
		return nil, fmt.Errorf("%s: line %d has %d fields, the first line has %d; every row needs the same columns",
			t.path, at, len(t.fields), len(t.Columns))
	}
	t.row++
	t.at = at
	return t.fields, nil
}

// Line returns the line number, from 1, of the row that Next returned last.
func (t *Reader) Line() int { return t.at }

// Row returns the number, from 0, of the row that Next returned last.
func (t *Reader) Row() int { return t.row - 1 }

// Close closes the file.
func (t *Reader) Close() error {
	if t.c == nil {
		return nil
	}
	return t.c.Close()
}

// readLine returns the next line that is neither empty nor a comment, without its
// end. It is valid until the next call.
func (t *Reader) readLine() ([]byte, error) {
	for {
		t.text = t.text[:0]
		var err error
		for {
			var part []byte
			part, err = t.b.ReadSlice('\n')
			if err == nil && len(t.text) == 0 {
				t.text = append(t.text, part...)
				break
			}
			t.text = append(t.text, part...)
			if len(t.text) > MaxLine {
				return nil, fmt.Errorf("%s: line %d is longer than %d MiB; is it a table?", t.path, t.line+1, MaxLine>>20)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w", t.path, err)
		}
		if err == io.EOF && len(t.text) == 0 {
			return nil, io.EOF
		}
		t.line++
		line := bytes.TrimRight(t.text, "\r\n")
		if trimmed := bytes.TrimLeft(line, " \t"); len(trimmed) > 0 && trimmed[0] != '#' {
			return line, nil
		}
	}
}

// split cuts a line into t.fields.
func (t *Reader) split(line []byte, at int) error {
	t.fields = t.fields[:0]
	if t.comma == ' ' {
		t.fields = append(t.fields, bytes.Fields(line)...)
		return nil
	}
	for {
		field, rest, more, err := cut(line, t.comma)
		if err != nil {
			return fmt.Errorf("%s: line %d, column %d: %w", t.path, at, len(t.fields), err)
		}
		t.fields = append(t.fields, field)
		if !more {
			return nil
		}
		line = rest
	}
}

// cut takes the first field off a line.
func cut(line []byte, comma byte) (field, rest []byte, more bool, err error) {
	start := line
	if comma != '\t' {
		start = bytes.TrimLeft(line, " \t")
	}
	if len(start) == 0 || start[0] != '"' {
		i := bytes.IndexByte(line, comma)
		if i < 0 {
			return bytes.TrimSpace(line), nil, false, nil
		}
		return bytes.TrimSpace(line[:i]), line[i+1:], true, nil
	}
	out := make([]byte, 0, 16)
	for i := 1; i < len(start); i++ {
		if start[i] != '"' {
			out = append(out, start[i])
			continue
		}
		if i+1 < len(start) && start[i+1] == '"' {
			out = append(out, '"')
			i++
			continue
		}
		tail := bytes.TrimLeft(start[i+1:], " ")
		switch {
		case len(tail) == 0:
			return out, nil, false, nil
		case tail[0] == comma:
			return out, tail[1:], true, nil
		}
		return nil, nil, false, errors.New("text after a closing quote")
	}
	return nil, nil, false, errors.New("a quote is not closed on its line")
}
