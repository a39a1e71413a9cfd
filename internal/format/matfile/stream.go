package matfile

import (
	"fmt"
	"io"
	"slices"

	"rao/internal/format/ndarray"
)

// Stream reads a numeric variable in blocks, in column-major order.
type Stream struct {
	*ndarray.Stream
	Shape []int
	c     io.Closer
	words func(error) error
}

// Stream opens a variable for reading in blocks. It returns nil for text, cells, sparse matrices, files of version 7.3,
// and paths into a variable. Use [File.Read] for these.
func (f *File) Stream(name string) (*Stream, error) {
	v := f.Lookup(name)
	if v == nil || f.h5 != nil || v.Readable() != nil || slices.Contains([]string{"char", "cell", "sparse"}, v.Class) {
		return nil, nil
	}
	s := &Stream{Shape: v.Shape, c: io.NopCloser(nil), words: func(err error) error {
		if err == nil {
			return nil
		}
		return inVariable(name, unpackError(err))
	}}
	if f.order == nil {
		s.Stream = ndarray.NewStream(io.NewSectionReader(f.r, v.offset, v.size), v.v4.elem(), v.Shape[0]*v.Shape[1],
			v.size)
		return s, nil
	}
	e, c, err := f.matrix(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, s.words(err))
	}
	if _, err = e.header(); err == nil {
		s.c = c
		s.Stream, err = e.numbers(v, v.budget())
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("%s: %w", f.path, s.words(err))
	}
	return s, nil
}

// Close closes the stream.
func (s *Stream) Close() error { return s.c.Close() }

// Uint8 calls [ndarray.Stream.Uint8]. Errors of this and the following methods name the variable.
func (s *Stream) Uint8(dst []byte) error { return s.words(s.Stream.Uint8(dst)) }

// Float32 calls [ndarray.Stream.Float32].
func (s *Stream) Float32(dst []float32) error { return s.words(s.Stream.Float32(dst)) }

// Float64 calls [ndarray.Stream.Float64].
func (s *Stream) Float64(dst []float64) error { return s.words(s.Stream.Float64(dst)) }

// Drain reads to the end of the variable, where compressed variables have a checksum.
func (s *Stream) Drain() error { return s.words(s.Stream.Drain()) }

// Next calls [ndarray.Stream.Next].
func (s *Stream) Next(n int) (*ndarray.Array, error) {
	a, err := s.Stream.Next(n)
	return a, s.words(err)
}
