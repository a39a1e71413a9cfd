// Package idx reads the IDX format of the MNIST files, plain or gzip-compressed:
// two zero bytes, an element type, the number of axes, their lengths as big-endian
// 32-bit numbers, and the elements in C order.
package idx

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"rao/internal/format/gunzip"
	"rao/internal/format/ndarray"
)

// Reader reads one IDX stream: first the header, then the elements in C order.
type Reader struct {
	Shape []int
	Len   int // number of elements
	*ndarray.Stream
}

// Sniff reports whether a file that starts with the bytes head can be an IDX file.
func Sniff(head []byte) bool {
	if len(head) < 4 || head[0] != 0 || head[1] != 0 || head[3] == 0 || head[3] > 8 {
		return false
	}
	_, ok := elem(head[2])
	return ok
}

func elem(code byte) (ndarray.Elem, bool) {
	switch code {
	case 0x08:
		return ndarray.Elem{Kind: 'u', Size: 1}, true
	case 0x09:
		return ndarray.Elem{Kind: 'i', Size: 1}, true
	case 0x0b:
		return ndarray.Elem{Kind: 'i', Size: 2, Big: true}, true
	case 0x0c:
		return ndarray.Elem{Kind: 'i', Size: 4, Big: true}, true
	case 0x0d:
		return ndarray.Elem{Kind: 'f', Size: 4, Big: true}, true
	case 0x0e:
		return ndarray.Elem{Kind: 'f', Size: 8, Big: true}, true
	}
	return ndarray.Elem{}, false
}

// maxAxes limits the number of axes. No IDX file in use has more than 4.
const maxAxes = 8

// NewReader reads the header from r. budget is the number of bytes of elements that may be allocated before they have
// been read.
func NewReader(r io.Reader, budget int64) (*Reader, error) {
	var head [4 + 4*maxAxes]byte
	if _, err := io.ReadFull(r, head[:4]); err != nil {
		return nil, ndarray.EndsInside("the IDX header", err)
	}
	e, ok := elem(head[2])
	switch {
	case head[0] != 0 || head[1] != 0:
		return nil, errors.New("not an IDX file: it does not start with two zero bytes; copy or download it again")
	case !ok:
		return nil, fmt.Errorf("the IDX element type 0x%02x is unknown; the file is corrupt or not an IDX file, so "+
			"copy or download it again", head[2])
	case head[3] == 0 || head[3] > maxAxes:
		return nil, fmt.Errorf("the IDX file has %d axes; it must have 1 to %d", head[3], maxAxes)
	}
	axes := int(head[3])
	if _, err := io.ReadFull(r, head[4:4+4*axes]); err != nil {
		return nil, ndarray.EndsInside("the IDX header", err)
	}
	shape := make([]int, axes)
	for i := range shape {
		d := binary.BigEndian.Uint32(head[4+4*i:])
		if d > 1<<31-1 {
			return nil, fmt.Errorf("the IDX length of axis %d is %d; the header is corrupt, so copy or download the "+
				"file again", i, d)
		}
		shape[i] = int(d)
	}
	n, err := ndarray.Count(shape)
	if err != nil {
		return nil, fmt.Errorf("IDX header: %w", err)
	}
	return &Reader{shape, n, ndarray.NewStream(r, e, n, budget)}, nil
}

// Array reads all elements. It then reads the rest of the input, because gzip stores a checksum at the end.
func (r *Reader) Array() (*ndarray.Array, error) {
	a, err := r.All()
	if err == nil {
		err = r.Drain()
	}
	if err != nil {
		return nil, err
	}
	a.Shape = r.Shape
	return a, nil
}

// File is an open IDX file.
type File struct {
	*Reader
	f *gunzip.File
}

// Open opens an IDX file, plain or compressed, and reads its header. It returns an error if a plain file is shorter
// than its header claims.
func Open(path string) (*File, error) {
	f, err := gunzip.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(bufio.NewReaderSize(f, 1<<16), f.Budget())
	if err == nil && !f.Compressed {
		err = ndarray.CheckSize(int64(r.Len)*int64(r.Elem.Size), f.Size)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{Reader: r, f: f}, nil
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// ReadFile reads an entire IDX file, plain or compressed.
func ReadFile(path string) (*ndarray.Array, error) {
	return ndarray.ReadFile(path, Open)
}
