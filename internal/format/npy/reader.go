package npy

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"rao/internal/format/ndarray"
)

// Reader reads one npy stream: first the header, then the elements in storage order.
type Reader struct {
	Header
	*ndarray.Stream
}

// NewReader reads the header from r. budget is the number of bytes of elements that may be allocated before they have
// been read, for example the size of a plain file. The reader allocates more only as data arrive.
func NewReader(r io.Reader, budget int64) (*Reader, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	h, err := readHeader(br)
	if err != nil {
		return nil, err
	}
	return &Reader{*h, ndarray.NewStream(br, h.Type, h.Len, budget)}, nil
}

// Array reads all elements. The axes have the same order as in the file; see ndarray.Array.Fortran.
func (r *Reader) Array() (*ndarray.Array, error) {
	a, err := r.All()
	if err != nil {
		return nil, err
	}
	a.Shape, a.Fortran = r.Shape, r.Fortran
	return a, nil
}

// File is an open npy file.
type File struct {
	*Reader
	f *os.File
}

// Open opens an npy file and reads its header. It returns an error if the file is shorter than its header claims.
func Open(path string) (*File, error) {
	f, size, err := ndarray.OpenFile(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f, max(size, 0))
	if err == nil {
		err = ndarray.CheckSize(r.Bytes(), size)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{Reader: r, f: f}, nil
}

// Rows restricts an array in C order to the rows lo to hi-1 along its first axis. Call it before reading.
func (f *File) Rows(lo, hi int64) error {
	h := f.Header
	row := h.Bytes() / int64(h.Shape[0])
	if _, err := f.f.Seek(h.Start+lo*row, io.SeekStart); err != nil {
		return err
	}
	h.Len = h.Len / h.Shape[0] * int(hi-lo)
	h.Shape = append([]int{int(hi - lo)}, h.Shape[1:]...)
	in := bufio.NewReaderSize(io.LimitReader(f.f, h.Bytes()), 1<<16)
	f.Reader = &Reader{h, ndarray.NewStream(in, h.Type, h.Len, h.Bytes())}
	return nil
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// ReadFile reads a complete npy file.
func ReadFile(path string) (*ndarray.Array, error) {
	return ndarray.ReadFile(path, Open)
}
