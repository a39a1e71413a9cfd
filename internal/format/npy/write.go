package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"rao/internal/format/ndarray"
)

// Write writes a as an npy stream that numpy can load: float64 as <f8, float32 as <f4, int64 as <i8, strings as <U. An
// array without elements is written as <f8 unless it has a non-nil slice of another type.
func Write(w io.Writer, a *ndarray.Array) error {
	if err := ndarray.Check(a); err != nil {
		return err
	}
	descr, size, width := "<f8", 8, 0
	switch {
	case a.Float64 != nil:
	case a.Float32 != nil:
		descr, size = "<f4", 4
	case a.Int64 != nil:
		descr = "<i8"
	case a.Strings != nil:
		for i, s := range a.Strings {
			if !utf8.ValidString(s) || strings.HasSuffix(s, "\x00") {
				return fmt.Errorf("array %q: string %d is not valid text for an npy file; use UTF-8 without a zero "+
					"byte at the end", a.Name, i)
			}
			width = max(width, utf8.RuneCountInString(s))
		}
		width = max(width, 1)
		descr, size = fmt.Sprintf("<U%d", width), 4*width
	}
	if err := writeHeader(w, descr, a.Fortran, a.Shape); err != nil {
		return err
	}
	per := max(1, (1<<16)/size)
	buf := make([]byte, 0, per*size)
	n := a.Len()
	for lo := 0; lo < n; lo += per {
		buf = encode(buf[:0], a, lo, min(n, lo+per), width)
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// Floats writes an npy stream of float64 or float32 from values that arrive in blocks.
type Floats struct {
	w      io.Writer
	left   int
	single bool
	buf    []byte
}

// NewFloats writes the header of a float64 array of the given shape.
func NewFloats(w io.Writer, shape ...int) (*Floats, error) { return newFloats(w, false, shape) }

// NewFloats32 writes the header of a float32 array of the given shape. Values are rounded.
func NewFloats32(w io.Writer, shape ...int) (*Floats, error) { return newFloats(w, true, shape) }

func newFloats(w io.Writer, single bool, shape []int) (*Floats, error) {
	n, err := ndarray.Count(shape)
	if err != nil {
		return nil, err
	}
	descr := "<f8"
	if single {
		descr = "<f4"
	}
	return &Floats{w: w, left: n, single: single}, writeHeader(w, descr, false, shape)
}

// Write writes the next values.
func (f *Floats) Write(values []float64) error {
	if f.left -= len(values); f.left < 0 {
		return fmt.Errorf("the number of values exceeds the number in the header by %d", -f.left)
	}
	const per = 1 << 13
	for lo := 0; lo < len(values); lo += per {
		part := values[lo:min(len(values), lo+per)]
		if f.buf = f.buf[:0]; f.single {
			for _, v := range part {
				f.buf = binary.LittleEndian.AppendUint32(f.buf, math.Float32bits(float32(v)))
			}
		} else {
			f.buf = encode(f.buf, &ndarray.Array{Float64: part}, 0, len(part), 0)
		}
		if _, err := f.w.Write(f.buf); err != nil {
			return err
		}
	}
	return nil
}

// Close returns an error unless all values have been written.
func (f *Floats) Close() error {
	if f.left != 0 {
		return fmt.Errorf("the number of values is below the number in the header by %d", f.left)
	}
	return nil
}

// encode appends elements lo to hi-1.
func encode(buf []byte, a *ndarray.Array, lo, hi, width int) []byte {
	le := binary.LittleEndian
	switch {
	case a.Float64 != nil:
		for _, v := range a.Float64[lo:hi] {
			buf = le.AppendUint64(buf, math.Float64bits(v))
		}
	case a.Float32 != nil:
		for _, v := range a.Float32[lo:hi] {
			buf = le.AppendUint32(buf, math.Float32bits(v))
		}
	case a.Int64 != nil:
		for _, v := range a.Int64[lo:hi] {
			buf = le.AppendUint64(buf, uint64(v))
		}
	default:
		for _, s := range a.Strings[lo:hi] {
			n := 0
			for _, r := range s {
				buf = le.AppendUint32(buf, uint32(r))
				n++
			}
			for ; n < width; n++ {
				buf = le.AppendUint32(buf, 0)
			}
		}
	}
	return buf
}

func writeHeader(w io.Writer, descr string, fortran bool, shape []int) error {
	var b strings.Builder
	order := "False"
	if fortran {
		order = "True"
	}
	fmt.Fprintf(&b, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr, order)
	for i, d := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, d)
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteString("), }")
	// The elements start at a multiple of 64 bytes.
	total := (10 + b.Len() + 1 + 63) / 64 * 64
	if total-10 > math.MaxUint16 {
		return errors.New("the header of the npy file is too long; use fewer axes")
	}
	head := make([]byte, 0, total)
	head = append(head, magic+"\x01\x00"...)
	head = binary.LittleEndian.AppendUint16(head, uint16(total-10))
	head = append(head, b.String()...)
	for len(head) < total-1 {
		head = append(head, ' ')
	}
	_, err := w.Write(append(head, '\n'))
	return err
}
