package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"

	"rao/internal/format/ndarray"
)

// Elements gives random access to an array without reading all of it into memory.
type Elements struct {
	Header
	Head []byte // the bytes of the entry before the first element
	CRC  uint32 // CRC of the complete entry

	entry *io.SectionReader
	path  string
}

// ErrCompressed means that an array is compressed and can only be read sequentially.
var ErrCompressed = errors.New("the array is compressed")

// Elements opens the array with this name (without .npy). It returns [ErrCompressed] if the array is compressed.
func (z *Zip) Elements(name string) (*Elements, error) {
	e := z.entry(name + ".npy")
	if e == nil {
		return nil, z.missing(name)
	}
	if e.Method != zip.Store {
		return nil, ErrCompressed
	}
	at, err := e.DataOffset()
	if err != nil {
		return nil, fmt.Errorf("%s: array %q: %w", z.path, name, err)
	}
	size := int64(min(e.UncompressedSize64, e.CompressedSize64, uint64(max(0, z.size-at))))
	out := &Elements{CRC: e.CRC32, entry: io.NewSectionReader(z.r, at, size), path: z.path}
	h, err := readHeader(out.entry)
	if err != nil {
		return nil, fmt.Errorf("%s: array %q: %w", z.path, name, corrupt(err))
	}
	head, err := out.entry.Seek(0, io.SeekCurrent)
	if err == nil && h.Bytes() > size-head {
		err = ndarray.ErrTruncated
	}
	if err == nil {
		out.Head = make([]byte, head)
		_, err = out.entry.ReadAt(out.Head, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: array %q: %w", z.path, name, corrupt(err))
	}
	out.Header = *h
	return out, nil
}

// Read fills buf with the bytes of consecutive elements, starting with the element at index first.
func (e *Elements) Read(buf []byte, first int) error {
	if _, err := e.entry.ReadAt(buf, int64(len(e.Head))+int64(first)*int64(e.Type.Size)); err != nil {
		if err == io.EOF {
			err = ndarray.ErrTruncated
		}
		return fmt.Errorf("%s: %w", e.path, err)
	}
	return nil
}
