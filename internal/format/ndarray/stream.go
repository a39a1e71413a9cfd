package ndarray

import "io"

// Stream reads the elements of one array in storage order, block by block.
type Stream struct {
	Elem   Elem
	r      io.Reader
	left   int
	budget int64
	buf    []byte
}

// NewStream returns a stream of n elements of type e in r. See [Read] for budget.
func NewStream(r io.Reader, e Elem, n int, budget int64) *Stream {
	return &Stream{Elem: e, r: r, left: n, budget: budget}
}

// All reads the remaining elements into an array without a name or shape.
func (s *Stream) All() (*Array, error) {
	n := s.left
	s.left = 0
	return Read(s.r, s.Elem, n, s.budget)
}

// Next reads the next n elements, or all that remain, into an array without a name.
func (s *Stream) Next(n int) (*Array, error) {
	n = min(n, s.left)
	a, err := Read(s.r, s.Elem, n, s.budget)
	if err == nil {
		s.left -= n
		a.Shape = []int{n}
	}
	return a, err
}

// Ahead returns the number of remaining elements for which memory may be allocated before they have been read.
func (s *Stream) Ahead() int { return int(min(int64(s.left), s.budget/int64(max(1, s.Elem.Size)))) }

// Drain reads to the end of the input, where compressed formats have a checksum.
func (s *Stream) Drain() error {
	_, err := io.Copy(io.Discard, s.r)
	return err
}

// Float32 reads the next len(dst) elements of a Narrow type.
func (s *Stream) Float32(dst []float32) error { return next(s, dst, s.Elem.DecodeFloat32) }

// Uint8 reads the next len(dst) elements of an array of unsigned bytes.
func (s *Stream) Uint8(dst []byte) error {
	if len(dst) > s.left {
		return ErrTruncated
	}
	n, err := io.ReadFull(s.r, dst)
	s.left -= n
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = ErrTruncated
	}
	return err
}

// Float64 reads the next len(dst) elements of any numeric type.
func (s *Stream) Float64(dst []float64) error { return next(s, dst, s.Elem.DecodeFloat64) }

func next[T any](s *Stream, dst []T, decode func([]T, []byte)) error {
	if len(dst) > s.left {
		return ErrTruncated
	}
	if s.buf == nil {
		s.buf = NewBuffer(s.Elem, s.left)
	}
	for len(dst) > 0 {
		m, err := ReadChunk(s.r, s.Elem, s.buf, dst, decode)
		if err != nil {
			return err
		}
		dst = dst[m:]
		s.left -= m
	}
	return nil
}
