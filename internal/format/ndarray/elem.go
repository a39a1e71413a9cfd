package ndarray

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Elem is the type of an array's elements in a file.
type Elem struct {
	Kind byte // 'f' float, 'i' signed, 'u' unsigned, 'b' bool, 'U' UTF-32 text, 'S' byte text
	Size int  // bytes per element
	Big  bool // big-endian
}

// maxText is the length of the longest text element that readers accept, in bytes. A recipe is one element. With
// learned filters of images it has more than a million bytes.
const maxText = 1 << 24

// Valid reports whether the readers support the type.
func (e Elem) Valid() bool {
	switch e.Kind {
	case 'f':
		return e.Size == 2 || e.Size == 4 || e.Size == 8
	case 'i', 'u':
		return e.Size == 1 || e.Size == 2 || e.Size == 4 || e.Size == 8
	case 'b':
		return e.Size == 1
	case 'U':
		return e.Size >= 0 && e.Size%4 == 0 && e.Size <= maxText
	case 'S':
		return e.Size >= 0 && e.Size <= maxText
	}
	return false
}

// Text reports whether the elements are strings.
func (e Elem) Text() bool { return e.Kind == 'U' || e.Kind == 'S' }

// Narrow reports whether a float32 can hold every value of the type exactly.
func (e Elem) Narrow() bool {
	return e.Kind == 'b' || e.Kind == 'f' && e.Size <= 4 || (e.Kind == 'i' || e.Kind == 'u') && e.Size <= 2
}

// Wide reports whether the type is an integer type with values that a float32 cannot hold exactly.
func (e Elem) Wide() bool { return (e.Kind == 'i' || e.Kind == 'u') && e.Size > 2 }

// String returns the numpy name without the byte order: "f8", "u1", "bool".
func (e Elem) String() string {
	switch e.Kind {
	case 'b':
		return "bool"
	case 'U', 'S':
		return string(e.Kind)
	}
	return fmt.Sprintf("%c%d", e.Kind, e.Size)
}

func (e Elem) order() binary.ByteOrder {
	if e.Big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// DecodeFloat32 decodes len(dst) elements of src. The type must be Narrow.
func (e Elem) DecodeFloat32(dst []float32, src []byte) {
	src = src[:len(dst)*e.Size]
	switch {
	case e.Kind == 'b':
		for i, b := range src {
			dst[i] = 0
			if b != 0 {
				dst[i] = 1
			}
		}
	case e.Kind == 'u' && e.Size == 1:
		for i, b := range src {
			dst[i] = float32(b)
		}
	case e.Kind == 'i' && e.Size == 1:
		for i, b := range src {
			dst[i] = float32(int8(b))
		}
	case e.Kind == 'f' && e.Size == 4 && !e.Big:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i : 4*i+4]))
		}
	case e.Kind == 'f' && e.Size == 4:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.BigEndian.Uint32(src[4*i:]))
		}
	default: // two bytes
		o := e.order()
		for i := range dst {
			v := o.Uint16(src[2*i:])
			switch e.Kind {
			case 'u':
				dst[i] = float32(v)
			case 'i':
				dst[i] = float32(int16(v))
			default:
				dst[i] = half(v)
			}
		}
	}
}

// DecodeFloat64 decodes len(dst) elements of src, of any numeric type.
func (e Elem) DecodeFloat64(dst []float64, src []byte) {
	src = src[:len(dst)*e.Size]
	switch {
	case e.Kind == 'f' && e.Size == 8 && !e.Big:
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*i : 8*i+8]))
		}
	case e.Kind == 'f' && e.Size == 8:
		for i := range dst {
			dst[i] = math.Float64frombits(binary.BigEndian.Uint64(src[8*i:]))
		}
	case e.Kind == 'u' && e.Size == 1:
		for i, b := range src {
			dst[i] = float64(b)
		}
	case e.Kind == 'i' && e.Size == 2 && !e.Big: // most recordings
		for i := range dst {
			dst[i] = float64(int16(binary.LittleEndian.Uint16(src[2*i:])))
		}
	case e.Wide():
		var buf [512]int64
		for i := 0; i < len(dst); i += len(buf) {
			m := min(len(buf), len(dst)-i)
			e.DecodeInt64(buf[:m], src[i*e.Size:])
			for j, v := range buf[:m] {
				dst[i+j] = float64(v)
				if v < 0 && e.Kind == 'u' {
					dst[i+j] = float64(uint64(v))
				}
			}
		}
	default:
		var buf [512]float32
		for i := 0; i < len(dst); i += len(buf) {
			m := min(len(buf), len(dst)-i)
			e.DecodeFloat32(buf[:m], src[i*e.Size:])
			for j, v := range buf[:m] {
				dst[i+j] = float64(v)
			}
		}
	}
}

// DecodeInt64 decodes len(dst) elements of src. The type must be Wide. Unsigned 64-bit values above the largest int64
// become negative.
func (e Elem) DecodeInt64(dst []int64, src []byte) {
	src = src[:len(dst)*e.Size]
	o := e.order()
	for i := range dst {
		switch {
		case e.Size == 8:
			dst[i] = int64(o.Uint64(src[8*i:]))
		case e.Kind == 'u':
			dst[i] = int64(o.Uint32(src[4*i:]))
		default:
			dst[i] = int64(int32(o.Uint32(src[4*i:])))
		}
	}
}

// DecodeStrings decodes len(dst) elements of src. Trailing zeros are padding and are removed.
func (e Elem) DecodeStrings(dst []string, src []byte) {
	var b strings.Builder
	for i := range dst {
		s := src[i*e.Size : (i+1)*e.Size]
		if e.Kind == 'S' {
			dst[i] = DecodeText(strings.TrimRight(string(s), "\x00"))
			continue
		}
		b.Reset()
		for ; len(s) >= 4; s = s[4:] {
			r := rune(e.order().Uint32(s))
			if !utf8.ValidRune(r) {
				r = utf8.RuneError
			}
			b.WriteRune(r)
		}
		dst[i] = strings.TrimRight(b.String(), "\x00")
	}
}

// DecodeText returns s if it is UTF-8, and otherwise decodes its bytes as Latin-1. Two different strings give the same
// result only if they are the UTF-8 and the Latin-1 encoding of the same text.
func DecodeText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}

// half converts an IEEE 754 binary16 to float32, exactly.
func half(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp := uint32(h>>10) & 0x1f
	frac := uint32(h) & 0x3ff
	switch {
	case exp == 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	case exp == 0: // zero and subnormal numbers: frac · 2⁻²⁴
		v := float32(frac) / (1 << 24)
		if sign != 0 {
			v = -v
		}
		return v
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// Fits reports whether n elements of type e can be addressed.
func Fits(n int, e Elem) bool { return n <= math.MaxInt/max(16, e.Size) }

// Budget returns the number of bytes that a reader may allocate before it decompresses the given number of bytes. It is
// enough for ordinary data, and far less than a malicious header can claim.
func Budget(compressed int64) int64 { return min(8*min(compressed, 1<<40), 1<<28) }

// smallBudget is the number of bytes that Read may always allocate before it has read the data.
const smallBudget = 1 << 20

// Read reads n elements from r into an array without a name or shape: float32 if the type is Narrow, int64 if it is
// Wide, otherwise float64 or strings. It allocates memory for up to budget bytes of input in advance. It allocates more
// only as data arrive, so a false header uses little memory. If an unsigned 64-bit value exceeds the largest int64, the
// array becomes float64, and Unsigned contains the exact values.
func Read(r io.Reader, e Elem, n int, budget int64) (*Array, error) {
	if !e.Valid() || n < 0 || !Fits(n, e) {
		return nil, fmt.Errorf("an array of %d elements of type %v is too large to read; save it in smaller parts", n,
			e)
	}
	a := &Array{Type: e.String()}
	var err error
	switch {
	case e.Text():
		if e.Size == 0 { // zero-width text: no data limits the count
			if n > smallBudget {
				return nil, fmt.Errorf("the header declares %d strings of length 0; the file is corrupt, so copy it "+
					"again", n)
			}
			a.Strings = make([]string, n)
			return a, nil
		}
		a.Strings, err = grow(r, e, n, budget/8, e.DecodeStrings)
	case e.Narrow():
		a.Float32, err = grow(r, e, n, budget, e.DecodeFloat32)
	case e.Wide():
		a.Int64, err = grow(r, e, n, budget, e.DecodeInt64)
		if err == nil && e.Kind == 'u' && e.Size == 8 {
			a.unwrap()
		}
	default:
		a.Float64, err = grow(r, e, n, budget, e.DecodeFloat64)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// unwrap converts an array of unsigned values to float64 if one exceeds the largest int64.
func (a *Array) unwrap() {
	wrapped := false
	for _, v := range a.Int64 {
		wrapped = wrapped || v < 0
	}
	if !wrapped {
		return
	}
	a.Float64, a.Unsigned = make([]float64, len(a.Int64)), make([]uint64, len(a.Int64))
	for i, v := range a.Int64 {
		a.Unsigned[i] = uint64(v)
		a.Float64[i] = float64(uint64(v))
	}
	a.Int64 = nil
}

// grow reads n elements with decode. The result grows as the elements arrive.
func grow[T any](r io.Reader, e Elem, n int, budget int64, decode func([]T, []byte)) ([]T, error) {
	ahead := int(min(int64(n), max(budget, smallBudget)/int64(e.Size)+1))
	out := make([]T, ahead)
	buf := NewBuffer(e, n)
	for at := 0; at < n; {
		if at == len(out) {
			next := make([]T, min(n, 2*len(out)))
			copy(next, out)
			out = next
		}
		m, err := ReadChunk(r, e, buf, out[at:], decode)
		if err != nil {
			return nil, err
		}
		at += m
	}
	return out[:n], nil
}

// NewBuffer returns a buffer for reading n elements in total with ReadChunk.
func NewBuffer(e Elem, n int) []byte {
	const want = 1 << 16
	return make([]byte, max(1, min(n, want/max(1, e.Size)))*max(1, e.Size))
}

// ReadChunk reads min(len(dst), len(buf)/e.Size) elements, decodes them to the start of dst and returns their number.
// If the input ends early, it returns ErrTruncated.
func ReadChunk[T any](r io.Reader, e Elem, buf []byte, dst []T, decode func([]T, []byte)) (int, error) {
	m := min(len(dst), len(buf)/e.Size)
	if _, err := io.ReadFull(r, buf[:m*e.Size]); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = ErrTruncated
		}
		return 0, err
	}
	decode(dst[:m], buf)
	return m, nil
}
