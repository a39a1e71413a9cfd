package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"rao/internal/format/gunzip"
)

// LineStart returns the offset of the first line that begins at byte offset at or later.
func LineStart(r io.ReaderAt, at int64) (int64, error) {
	if at <= 0 {
		return 0, nil
	}
	buf := make([]byte, 1<<12)
	for at--; ; at += int64(len(buf)) {
		n, err := r.ReadAt(buf, at)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		if errors.Is(err, io.EOF) {
			return at + int64(n), nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// Splits returns the offsets that divide an uncompressed table into parts of about size bytes. Every part begins with a
// line that begins a row, so Splits reads the file to find line breaks in quoted fields.
func Splits(path string, size int64) ([]int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &Reader{path: path, b: bufio.NewReaderSize(f, 1<<18)}
	t.skipMark()
	var splits []int64
	end := int64(0) // of the part that has reached its size
	for next := size; ; {
		if err := t.readRow(); err == io.EOF {
			return splits, nil
		} else if err != nil {
			return nil, err
		}
		if end > 0 { // another row follows
			splits, end = append(splits, end), 0
		}
		if t.read >= next {
			end, next = t.read, t.read+size
		}
	}
}

// cut restricts the reader to the lines that begin in the byte range of the options. The columns and the delimiter are
// the ones detected at the start of the file.
func (t *Reader) cut(source *gunzip.File) error {
	if source.Compressed {
		return fmt.Errorf("%s: a compressed table cannot be read in parts; decompress it first", t.path)
	}
	f, err := os.Open(source.Path)
	if err != nil {
		return err
	}
	source.Close()
	t.c = f
	from := t.opt.From
	if t.Header {
		from = max(from, t.body)
	}
	lo, err := LineStart(f, from)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	hi, err := LineStart(f, t.opt.To)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	t.b.Reset(io.NewSectionReader(f, lo, max(0, hi-lo)))
	if lo == 0 {
		t.skipMark()
	}
	t.first, t.second, t.line, t.Comments = nil, nil, 0, 0
	if lo > 0 {
		t.path = fmt.Sprintf("%s from byte %d on", t.path, lo)
	}
	return nil
}
