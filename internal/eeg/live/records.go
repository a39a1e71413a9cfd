package live

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"rao"
	"rao/internal/format/ndarray"
	"rao/internal/format/table"
	"rao/internal/linalg/vec"
	"rao/internal/text"
)

// records reads observations or samples with a fixed number of values from a stream: lines of text in the syntax of the
// tool's tables, or little-endian numbers. Lines have a limited length, so the memory is limited too.
type records struct {
	in    *bufio.Reader
	name  string // name of a record in messages
	width int
	skip  bool // leave out records that cannot be read or classified, instead of ending
	note  Note
	// skipped is called for records that cannot be read. It may be nil.
	skipped func()

	next  func(x []float64) error
	at    int // number of the last record: lines from 1, binary records from 0
	left  int // number of records left out so far
	comma byte
	raw   []byte
}

// recordError is an error in one record. The next record can still be read.
type recordError struct{ err error }

func (e *recordError) Error() string { return e.err.Error() }
func (e *recordError) Unwrap() error { return e.err }

func recordErrorf(format string, args ...any) error {
	return &recordError{fmt.Errorf(format, args...)}
}

// bytesPerValue times the width is the largest length of a line. No number needs more bytes.
const bytesPerValue = 64

// newRecords returns a reader of records of width values in the given format: csv, f32 or f64.
func newRecords(in io.Reader, format string, width int) (*records, error) {
	r := &records{name: "line", width: width, note: func(string, ...any) {}}
	r.next = r.readText
	size := max(1<<16, bytesPerValue*width)
	switch format {
	case "csv":
	case "f32", "f64":
		r.name, r.next, r.at = "record", r.readBinary, -1
		r.raw = make([]byte, 8*width)
		if format == "f32" {
			r.raw = r.raw[:4*width]
		}
		size = 1 << 16
	default:
		return nil, rao.Optionf("input-format", "{input-format}: %q is unknown; choose from csv, f32 and f64", format)
	}
	r.in = bufio.NewReaderSize(in, size)
	return r, nil
}

// faultsReported is the number of skipped records that are reported one by one.
const faultsReported = 5

// each calls f for every record, with its number from 0, until the input or the context ends.
func (r *records) each(ctx context.Context, f func(record int, x []float64) error) error {
	x := make([]float64, r.width)
	for record := 0; ctx.Err() == nil; record++ {
		err := r.next(x)
		unread := err != nil
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			break
		}
		if err == nil {
			err = f(record, x)
		}
		if err == nil {
			continue
		}
		err = fmt.Errorf("standard input, %s %d: %w", r.name, r.at, err)
		var fault *recordError
		if !r.skip || !errors.As(err, &fault) {
			return err
		}
		if r.left++; r.left <= faultsReported {
			r.note("left out: %v", err)
		}
		if unread && r.skipped != nil {
			r.skipped()
		}
	}
	return ctx.Err()
}

// readText reads the next line that is neither empty nor a comment.
func (r *records) readText(x []float64) error {
	for {
		line, err := r.in.ReadSlice('\n')
		r.at++
		if errors.Is(err, bufio.ErrBufferFull) {
			return r.dropLine()
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return r.parse(line, x)
		}
		if err != nil {
			return err
		}
	}
}

// dropLine skips the rest of a line that is too long.
func (r *records) dropLine() error {
	for {
		_, err := r.in.ReadSlice('\n')
		if err == nil || errors.Is(err, io.EOF) {
			return recordErrorf("the line is longer than %d bytes, too long for %d values; send one record per line",
				r.in.Size(), r.width)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// parse parses the values of a line. The first line determines the delimiter.
func (r *records) parse(line []byte, x []float64) error {
	if r.comma == 0 {
		r.comma = table.Delimiter(line)
	}
	var fault error
	n := 0
	for field := range table.Fields(line, r.comma) {
		at := n
		n++
		if at >= len(x) || fault != nil {
			continue // only counted, for the message
		}
		v, ok := table.ParseFloat(field)
		switch {
		case len(field) == 0:
			fault = recordErrorf("value %d (counted from 0) is empty; send a number", at)
		case !ok:
			fault = recordErrorf("value %d (counted from 0): %.40q is not a number; send a number", at, field)
		}
		x[at] = v
	}
	if n != len(x) {
		return recordErrorf("the record has %s, but the model needs %d; send one value per input of the model",
			text.Plural(n, "value", "values"), len(x))
	}
	if fault != nil {
		return fault
	}
	return finite(x)
}

// finite returns an error if a value is not finite.
func finite(x []float64) error {
	if i := vec.NotFinite(x); i >= 0 {
		return recordErrorf("value %d (counted from 0) is %v; it must be finite", i, x[i])
	}
	return nil
}

func (r *records) readBinary(x []float64) error {
	r.at++
	if _, err := io.ReadFull(r.in, r.raw); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("the input ends within a record; a record has %d values", len(x))
		}
		return err
	}
	ndarray.Elem{Kind: 'f', Size: len(r.raw) / len(x)}.DecodeFloat64(x, r.raw)
	return finite(x)
}
