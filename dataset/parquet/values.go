package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
)

// values are the non-missing values of a page, in one of the fields.
type values struct {
	i32     []int32
	i64     []int64
	f32     []float32
	f64     []float64
	flags   []byte   // booleans
	bytes   []byte   // concatenated values
	offsets []uint32 // zero, then the ends of the values; used if their length is not fixed
}

// valuesOf decodes the n non-missing values of a page.
func (c *cursor) valuesOf(e format.Encoding, n int, data []byte) (v values, err error) {
	l := c.l
	if e != format.Plain {
		v, err = otherEncoding(e, l.kind, l.size, n, data)
	} else {
		v, err = plain(l, n, data)
	}
	if err != nil {
		return v, damaged(fmt.Errorf("column %s: %w", l.name, err))
	}
	have := max(len(v.i32), len(v.i64), len(v.f32), len(v.f64), len(v.flags), len(v.offsets)-1)
	if l.kind == format.FixedLenByteArray && l.size > 0 {
		have = len(v.bytes) / l.size
	}
	if have != n {
		return v, damaged(fmt.Errorf("column %s has a page of %d values, but the header of the page declares %d",
			l.name, have, n))
	}
	return v, nil
}

// plain decodes values that are stored one after the other.
func plain(l *leaf, n int, data []byte) (v values, err error) {
	size := map[format.Type]int{format.Int32: 4, format.Float: 4, format.Int64: 8, format.Double: 8,
		format.FixedLenByteArray: l.size}[l.kind]
	if size > 0 {
		if n > len(data)/size {
			return v, io.ErrUnexpectedEOF
		}
		data = data[:n*size]
	}
	switch l.kind {
	case format.Int32:
		v.i32 = numbersIn[int32](data)
	case format.Int64:
		v.i64 = numbersIn[int64](data)
	case format.Float:
		v.f32 = numbersIn[float32](data)
	case format.Double:
		v.f64 = numbersIn[float64](data)
	case format.Boolean:
		if v.flags = unpack(v.flags, data, 1, n); len(v.flags) < n {
			return v, io.ErrUnexpectedEOF
		}
	case format.FixedLenByteArray:
		v.bytes = data
	case format.ByteArray:
		return byteArrays(n, data)
	}
	return v, nil
}

// byteArrays separates values from the lengths stored before each of them.
func byteArrays(n int, data []byte) (v values, err error) {
	v.offsets = append(v.offsets, 0)
	for range n {
		if len(data) < 4 {
			return v, io.ErrUnexpectedEOF
		}
		m := binary.LittleEndian.Uint32(data)
		if data = data[4:]; int64(m) > int64(len(data)) {
			return v, io.ErrUnexpectedEOF
		}
		v.bytes = append(v.bytes, data[:m]...)
		v.offsets = append(v.offsets, uint32(len(v.bytes)))
		data = data[m:]
	}
	return v, nil
}

// each calls f with each value of type bytes.
func (v *values) each(size int, f func(b []byte) error) error {
	if v.offsets == nil {
		for raw := v.bytes; size > 0 && len(raw) >= size; raw = raw[size:] {
			if err := f(raw[:size]); err != nil {
				return err
			}
		}
		return nil
	}
	for i := 1; i < len(v.offsets); i++ {
		lo, hi := v.offsets[i-1], v.offsets[i]
		if lo > hi || int(hi) > len(v.bytes) {
			return io.ErrUnexpectedEOF
		}
		if err := f(v.bytes[lo:hi]); err != nil {
			return err
		}
	}
	return nil
}

// numbersOf appends the values to dst as numbers.
func numbersOf[T float32 | float64](c *cursor, dst *[]T, v values) error {
	l := c.l
	from := len(*dst)
	switch l.kind {
	case format.Float:
		convert(dst, v.f32)
	case format.Double:
		convert(dst, v.f64)
	case format.Boolean:
		convert(dst, v.flags)
	case format.Int32:
		if !l.unsigned {
			convert(dst, v.i32)
			break
		}
		for _, x := range v.i32 {
			*dst = append(*dst, T(uint32(x)))
		}
	case format.Int64:
		if !l.unsigned {
			convert(dst, v.i64)
			break
		}
		for _, x := range v.i64 {
			*dst = append(*dst, T(uint64(x)))
		}
	default:
		return numbersOfBytes(c, dst, v)
	}
	if l.scale != 0 {
		scale((*dst)[from:], l.scale)
	}
	return nil
}

func convert[T float32 | float64, S float32 | float64 | int32 | int64 | byte](dst *[]T, src []S) {
	from := len(*dst)
	*dst = slices.Grow(*dst, len(src))[:from+len(src)]
	for i, v := range src {
		(*dst)[from+i] = T(v)
	}
}

// scale divides by a power of ten, with a single rounding.
func scale[T float32 | float64](v []T, by float64) {
	for i := range v {
		v[i] = T(float64(v[i]) / by)
	}
}

// numbersOfBytes appends numbers that are stored as bytes: decimals, half-precision floats, and vectors of floats.
func numbersOfBytes[T float32 | float64](c *cursor, dst *[]T, v values) error {
	l := c.l
	return v.each(l.size, func(b []byte) error {
		switch {
		case l.half:
			var one [1]float32
			ndarray.Elem{Kind: 'f', Size: 2}.DecodeFloat32(one[:], b)
			*dst = append(*dst, T(one[0]))
		case l.floats == 0:
			*dst = append(*dst, T(decimal(b)/l.scale))
		case len(b) != l.size:
			return fmt.Errorf("column %s: a value has %d bytes, but the first has %d; all vectors must have the "+
				"same length",
				l.name, len(b), l.size)
		case l.floats == 4:
			for ; len(b) >= 4; b = b[4:] {
				*dst = append(*dst, T(math.Float32frombits(binary.LittleEndian.Uint32(b))))
			}
		default:
			for ; len(b) >= 8; b = b[8:] {
				*dst = append(*dst, T(math.Float64frombits(binary.LittleEndian.Uint64(b))))
			}
		}
		return nil
	})
}

// decimal returns the value of a big-endian integer in two's complement.
func decimal(b []byte) float64 {
	v := 0.0
	for i, x := range b {
		if i == 0 {
			v = float64(int8(x))
		} else {
			v = v*256 + float64(x)
		}
	}
	return v
}

// textOf appends the indices of the values as texts to dst.
func (c *cursor) textOf(dst *[]int32, v values) error {
	l := c.l
	switch {
	case l.text:
		return v.each(l.size, func(b []byte) error {
			*dst = append(*dst, c.table.bytes(b))
			return nil
		})
	case l.tick > 0 && l.kind == format.Int32:
		integerTexts(c, dst, v.i32, func(x int32) string { return l.instant(int64(x)) })
		return nil
	case l.tick > 0:
		integerTexts(c, dst, v.i64, l.instant)
		return nil
	case l.scale == 0 && l.kind == format.Int32:
		integerTexts(c, dst, v.i32, func(x int32) string {
			if l.unsigned {
				return strconv.FormatUint(uint64(uint32(x)), 10)
			}
			return strconv.FormatInt(int64(x), 10)
		})
		return nil
	case l.scale == 0 && l.kind == format.Int64:
		integerTexts(c, dst, v.i64, func(x int64) string {
			if l.unsigned {
				return strconv.FormatUint(uint64(x), 10)
			}
			return strconv.FormatInt(x, 10)
		})
		return nil
	}
	var numbers []float64
	if err := numbersOf(c, &numbers, v); err != nil {
		return err
	}
	bits := 64
	if l.single {
		bits = 32
	}
	for _, x := range numbers {
		at := int32(0)
		if vec.Finite(x) {
			at = c.table.place(strconv.FormatFloat(x, 'f', -1, bits))
		}
		*dst = append(*dst, at)
	}
	return nil
}

// integerTexts appends the indices of integers as texts. Most integers are among a few that repeat.
func integerTexts[T int32 | int64](c *cursor, dst *[]int32, v []T, text func(T) string) {
	for _, x := range v {
		at, ok := c.table.integers[int64(x)]
		if !ok {
			at = c.table.place(text(x))
			c.table.integers[int64(x)] = at
		}
		*dst = append(*dst, at)
	}
}
