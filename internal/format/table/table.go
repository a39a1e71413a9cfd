// Package table reads delimited text: fields separated by comma, tab, semicolon or blanks, with or without a line of
// column names, plain or gzip-compressed. It reads one row at a time, so a file may be larger than memory.
//
// Empty lines and lines that start with # are skipped. Text is UTF-8, or Latin-1 with the option for it. A field may be
// enclosed in double quotes, with each quote inside it doubled; it may then contain line breaks. All rows must have the
// same number of fields. Columns at the end without names and values, which spreadsheets write as commas at the end of
// each line, are left out.
package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"rao"
	"rao/internal/faults"
	"rao/internal/format/gunzip"
	"rao/internal/text"
)

// MaxLine is the largest length of a line, in bytes.
const MaxLine = 64 << 20

// maxQuoted is the largest length of a row with a line break in quotes, in bytes. It limits what is read after a quote
// that is not closed.
const maxQuoted = 1 << 20

// Delimiters are the delimiters that options and reports name.
var Delimiters = map[string]byte{"comma": ',', "semicolon": ';', "tab": '\t', "blank": ' '}

// Options describe a file. The delimiter and the header are detected unless they are given.
type Options struct {
	Comma  byte  // the delimiter; 0 detects it
	Header *bool // whether the first line names the columns; nil detects it

	DecimalComma bool // 1,5 means 3/2; the delimiter is then not a comma
	Latin1       bool // text is ISO 8859-1
	NoComments   bool // lines that start with # are rows

	// From and To select the rows that begin in the byte range [From, To) of the file. If both are 0, all rows are
	// selected. Only Open uses these fields, and only for uncompressed files.
	From, To int64
}

// Reader reads the rows of a table one by one.
type Reader struct {
	Header  bool     // whether the first line names the columns
	Columns []string // their names; "0", "1", ... without a header
	Text    []bool   // columns with text in the first row
	Comma   byte     // the delimiter; ' ' stands for blanks and tabs

	blank int // columns after Columns, which have neither names nor values

	// Comments is the number of comment lines skipped so far.
	Comments int

	opt    Options
	path   string
	b      *bufio.Reader
	c      io.Closer
	line   int // number of the line last read, from 1
	start  int // number of the first line of the row last read; less than line if a quoted field has line breaks
	row    int // number of rows returned so far
	text   []byte
	fields [][]byte
	first  []byte // a line read ahead, to be returned by Next
	at     int    // line number of first
	second []byte
	at2    int
	read   int64 // bytes in the lines read so far
	body   int64 // offset of the line after the header
}

// Open opens a table. Errors include the path.
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
	if opt.To > 0 {
		if err := r.cut(f); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// NewReader returns a reader of the table in r. Error messages use name as the path.
func NewReader(r io.Reader, name string, opt Options) (*Reader, error) {
	t := &Reader{path: name, b: bufio.NewReaderSize(r, 1<<16), Comma: opt.Comma, opt: opt}
	t.skipMark()
	if mark, _ := t.b.Peek(2); string(mark) == "\xff\xfe" || string(mark) == "\xfe\xff" {
		return nil, fmt.Errorf("%s contains UTF-16 text; save it as UTF-8", name)
	}
	first, err := t.readLine()
	if err == io.EOF {
		return nil, faults.Count(0, 1, "%s: the table is empty; give a table with rows", name)
	}
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(first, 0) >= 0 {
		return nil, fmt.Errorf("%s is not a text file, because line %d has a zero byte; save the table as text",
			name, t.start)
	}
	t.first, t.at, t.body = bytes.Clone(first), t.start, t.read
	second, err := t.readLine()
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err == nil {
		t.second, t.at2 = bytes.Clone(second), t.start
	}
	if t.Comma == 0 {
		t.Comma = t.delimiter()
	}
	if opt.DecimalComma && t.Comma == ',' {
		return nil, fmt.Errorf("%s: decimal commas need a delimiter other than the comma, such as a semicolon or a "+
			"tab", name)
	}
	if err := t.names(opt.Header); err != nil {
		return nil, err
	}
	return t, nil
}

// skipMark skips the byte order mark that some programs write at the start of UTF-8 files.
func (t *Reader) skipMark() {
	const mark = "\xef\xbb\xbf"
	if head, _ := t.b.Peek(len(mark)); string(head) == mark {
		n, _ := t.b.Discard(len(mark))
		t.read += int64(n)
	}
}

// Next returns the fields of the next row. They are valid until the next call. After the last row, it returns io.EOF.
func (t *Reader) Next() ([][]byte, error) {
	line, at, err := t.nextLine()
	if err == nil {
		err = t.fieldsOf(line, at)
	}
	if err != nil {
		return nil, err
	}
	return t.fields, nil
}

func (t *Reader) nextLine() (line []byte, at int, err error) {
	switch {
	case t.first != nil:
		line, at, t.first = t.first, t.at, nil
	case t.second != nil:
		line, at, t.second = t.second, t.at2, nil
	default:
		line, err = t.readLine()
		at = t.start
	}
	return line, at, err
}

// fieldsOf splits the line of a row into t.fields.
func (t *Reader) fieldsOf(line []byte, at int) error {
	if err := t.split(line, at); err != nil {
		return err
	}
	if all := len(t.Columns) + t.blank; len(t.fields) != all {
		return faults.Count(len(t.fields), all, "%s: line %d has %s, but the first line has %d; every row needs the "+
			"same columns", t.path, at, text.Plural(len(t.fields), "field", "fields"), all)
	}
	if t.blank > 0 {
		if err := t.dropBlank(at); err != nil {
			return err
		}
	}
	t.counted(at)
	return nil
}

// dropBlank removes the fields of the columns without names and values from t.fields.
func (t *Reader) dropBlank(at int) error {
	n := len(t.Columns)
	for i, f := range t.fields[n:] {
		if len(f) > 0 {
			return fmt.Errorf("%s: line %d, column %d has the value %.40q, but the column has no name, and no value "+
				"in the first row; name the column, or remove it (columns are numbered from 0)", t.path, at, n+i, f)
		}
	}
	t.fields = t.fields[:n]
	return nil
}

func (t *Reader) counted(at int) {
	t.row++
	t.at = at
}

// Line returns the line number, from 1, of the row that Next last returned.
func (t *Reader) Line() int { return t.at }

// Row returns the index, from 0, of the row that Next last returned.
func (t *Reader) Row() int { return t.row - 1 }

// Name returns the name of the table in error messages.
func (t *Reader) Name() string { return t.path }

// Close closes the file.
func (t *Reader) Close() error {
	if t.c == nil {
		return nil
	}
	return t.c.Close()
}

// readLine returns the next row, without its line ending. This is the next line that is neither empty nor a comment,
// and the lines after it if it has a quoted field with line breaks. It is valid until the next call.
func (t *Reader) readLine() ([]byte, error) {
	if err := t.readRow(); err != nil {
		return nil, err
	}
	return t.decode(bytes.TrimRight(t.text, "\r\n"))
}

// readRow reads the next row into t.text.
func (t *Reader) readRow() error {
	for {
		t.text = t.text[:0]
		if err := t.appendLine(); err != nil {
			return err
		}
		t.start = t.line
		trimmed := bytes.TrimLeft(bytes.TrimRight(t.text, "\r\n"), " \t")
		switch {
		case len(trimmed) == 0:
			continue
		case trimmed[0] == '#' && !t.opt.NoComments:
			t.Comments++
			continue
		case t.Comma == ' ' || bytes.IndexByte(t.text, '"') < 0:
			return nil
		}
		return t.closeQuote()
	}
}

// closeQuote appends lines to t.text until no quoted field is open.
func (t *Reader) closeQuote() error {
	for from, open := 0, false; ; {
		if open = t.openAfter(t.text[from:], open); !open {
			return nil
		}
		if from = len(t.text); from > maxQuoted {
			return fmt.Errorf("%s: line %d: a quote is not closed within %d KiB; close it, or double it if it is part "+
				"of the text", t.path, t.start, maxQuoted>>10)
		}
		if err := t.appendLine(); err == io.EOF {
			return nil // split returns a precise error
		} else if err != nil {
			return err
		}
	}
}

// openAfter reports whether a quoted field is open at the end of a line. open reports whether one is at its start.
// Only a quote at the start of a field opens it.
func (t *Reader) openAfter(line []byte, open bool) bool {
	atStart := true
	for _, b := range line {
		switch {
		case b == '"' && open:
			open, atStart = false, true // a second quote stands for a quote in the field
		case b == '"':
			open = atStart
		case open:
		case b == t.Comma || t.Comma == 0 && (b == ',' || b == ';' || b == '\t'):
			atStart = true
		case b != ' ':
			atStart = false
		}
	}
	return open
}

// appendLine appends the next line to t.text, with its line ending. The error is io.EOF after the last line.
func (t *Reader) appendLine() error {
	before := len(t.text)
	var err error
	for {
		var part []byte
		part, err = t.b.ReadSlice('\n')
		t.text = append(t.text, part...)
		if len(t.text) > MaxLine {
			return fmt.Errorf("%s: line %d is longer than %d MiB, so the file is probably not a table; name a table",
				t.path, t.line+1, MaxLine>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}
	if err != nil && err != io.EOF {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	if len(t.text) == before {
		return io.EOF
	}
	t.line++
	t.read += int64(len(t.text) - before)
	return nil
}

func (t *Reader) decode(line []byte) ([]byte, error) {
	if utf8.Valid(line) && !t.opt.Latin1 {
		return line, nil
	}
	if !t.opt.Latin1 {
		return nil, rao.Optionf("csv", "%s: line %d is not UTF-8 text; set {csv=encoding=latin-1}, or save it as UTF-8",
			t.path, t.start)
	}
	out := make([]byte, 0, len(line)+8)
	for _, b := range line {
		out = utf8.AppendRune(out, rune(b))
	}
	return out, nil
}

// Float reads a field as a number like [ParseFloat], with the table's decimal mark. True and false are 1 and 0.
func (t *Reader) Float(field []byte) (float64, bool) {
	if v, ok := t.decimal(field); ok {
		return v, true
	}
	return parseTruth(field)
}

func (t *Reader) decimal(field []byte) (float64, bool) {
	if !t.opt.DecimalComma {
		return ParseFloat(field)
	}
	if bytes.IndexByte(field, '.') >= 0 {
		return 0, false
	}
	return ParseFloat(bytes.Replace(field, []byte{','}, []byte{'.'}, 1))
}

// split splits a line into t.fields.
func (t *Reader) split(line []byte, at int) error {
	t.fields = t.fields[:0]
	if t.Comma == ' ' {
		t.fields = append(t.fields, bytes.Fields(line)...)
		return nil
	}
	if bytes.IndexByte(line, '"') >= 0 {
		return t.splitQuoted(line, at)
	}
	for {
		i := bytes.IndexByte(line, t.Comma)
		if i < 0 {
			t.fields = append(t.fields, bytes.TrimSpace(line))
			return nil
		}
		t.fields = append(t.fields, bytes.TrimSpace(line[:i]))
		line = line[i+1:]
	}
}

// splitQuoted splits a line that contains quotes into t.fields.
func (t *Reader) splitQuoted(line []byte, at int) error {
	r := csv.NewReader(bytes.NewReader(line))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = rune(t.Comma), -1, t.Comma != '\t'
	record, err := r.Read()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		from := 0
		for range bad.Line - 1 {
			from += bytes.IndexByte(line[from:], '\n') + 1
		}
		before := line[:min(from+max(bad.Column-1, 0), len(line))]
		return fmt.Errorf("%s: line %d, column %d: %s", t.path, at, count(before, t.Comma), quoteFault(line, bad.Err))
	case err != nil:
		return fmt.Errorf("%s: line %d: %w", t.path, at, err)
	}
	for _, field := range record {
		t.fields = append(t.fields, bytes.TrimSpace([]byte(field)))
	}
	return nil
}

// quoteFault describes the problem with the quotes of a line.
func quoteFault(line []byte, err error) string {
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		return "a quote inside an unquoted field; put the field in quotes and double the quote inside"
	case bytes.Count(line, []byte{'"'})%2 == 1:
		return "a quote is not closed; close it, or double it if it is part of the text"
	}
	return "text after a closing quote; put the entire field in quotes"
}
