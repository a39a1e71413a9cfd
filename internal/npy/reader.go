package npy

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"rao/internal/ndarray"
)

// Reader reads one npy stream: the header first, then elements in storage order.
type Reader struct {
	Header
	r      io.Reader
	budget int64
	left   int
	buf    []byte
}

// NewReader reads the header from r. budget is how many bytes of elements may be
// allocated before they have been seen (the size of a plain file, for example);
// more is allocated only as data arrive.
func NewReader(r io.Reader, budget int64) (*Reader, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	h, err := readHeader(br)
	if err != nil {
		return nil, err
	}
	return &Reader{Header: *h, r: br, budget: budget, left: h.Len}, nil
}

// Array reads all elements that are left. It keeps the file's order of axes: see
// ndarray.Array.Fortran.
func (r *Reader) Array() (*ndarray.Array, error) {
	a, err := ndarray.Read(r.r, r.Elem, r.left, r.budget)
	if err != nil {
		return nil, err
	}
	r.left = 0
	a.Shape, a.Fortran = r.Shape, r.Fortran
	return a, nil
}

// Float32 reads the next len(dst) elements of a Narrow numeric type.
func (r *Reader) Float32(dst []float32) error { return next(r, dst, r.Elem.DecodeFloat32) }

// Float64 reads the next len(dst) elements of any numeric type.
func (r *Reader) Float64(dst []float64) error { return next(r, dst, r.Elem.DecodeFloat64) }

func next[T any](r *Reader, dst []T, decode func([]T, []byte)) error {
	if len(dst) > r.left {
		return io.ErrUnexpectedEOF
	}
	if r.buf == nil {
		r.buf = ndarray.NewBuffer(r.Elem)
	}
	for len(dst) > 0 {
		m, err := ndarray.ReadChunk(r.r, r.Elem, r.buf, dst, decode)
		if err != nil {
			return err
		}
		dst = dst[m:]
		r.left -= m
	}
	return nil
}

// File is an open npy file.
type File struct {
	*Reader
	f *os.File
}

// Open opens an npy file and reads its header. A file shorter than its header
// promises is reported here.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	r, err := NewReader(f, st.Size())
	if err == nil && st.Mode().IsRegular() && r.Bytes() > st.Size() {
		err = fmt.Errorf("the header promises %d bytes and the file has %d; it is truncated, copy or save it again", r.Bytes(), st.Size())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{Reader: r, f: f}, nil
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// ReadFile reads a whole npy file.
func ReadFile(path string) (*ndarray.Array, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := f.Array()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}
