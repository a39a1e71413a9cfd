package matfile

import (
	"encoding/binary"
	"fmt"
	"io"

	"rao/internal/format/ndarray"
)

// v4Header is the header of a variable in a version 4 file. The decimal digits of the type MOPT are the byte order,
// zero, the precision and the kind.
type v4Header struct {
	typ, rows, cols, imag, name uint32
	big                         bool
}

// parse4 reads a header. It chooses the byte order in which the type is a small number.
func parse4(b []byte) (h v4Header, ok bool) {
	var o binary.ByteOrder = binary.LittleEndian
	if o.Uint32(b) >= 5000 {
		o = binary.BigEndian
		h.big = true
	}
	h.typ, h.rows, h.cols = o.Uint32(b), o.Uint32(b[4:]), o.Uint32(b[8:])
	h.imag, h.name = o.Uint32(b[12:]), o.Uint32(b[16:])
	return h, h.typ < 5000
}

// plausible reports whether h can be a version 4 header.
func (h v4Header) plausible() bool {
	return h.typ/1000 == map[bool]uint32{false: 0, true: 1}[h.big] && h.typ/100%10 == 0 && h.typ/10%10 <= 5 &&
		h.typ%10 <= 2 &&
		h.imag <= 1 && h.name >= 1 && h.name <= maxName && h.rows < 1<<31 && h.cols < 1<<31
}

func (h v4Header) elem() ndarray.Elem {
	e := [...]ndarray.Elem{{Kind: 'f', Size: 8}, {Kind: 'f', Size: 4}, {Kind: 'i', Size: 4},
		{Kind: 'i', Size: 2}, {Kind: 'u', Size: 2}, {Kind: 'u', Size: 1}}[h.typ/10%10]
	e.Big = h.big
	return e
}

func (f *File) scan4() error {
	var head [20]byte
	for at := int64(0); at < f.size; {
		if _, err := f.r.ReadAt(head[:], at); err != nil {
			return ndarray.EndsInside("a variable's header", err)
		}
		h, ok := parse4(head[:])
		if !ok || !h.plausible() {
			return fmt.Errorf("the variable header at byte %d is missing; the file is corrupt, so copy it again", at)
		}
		name := make([]byte, h.name)
		if _, err := f.r.ReadAt(name, at+20); err != nil {
			return ndarray.EndsInside("a variable's name", err)
		}
		v := Var{Name: cString(name), Shape: []int{int(h.rows), int(h.cols)}, complex: h.imag == 1, v4: h,
			Class: [...]string{"double", "char", "sparse"}[h.typ%10], offset: at + 20 + int64(h.name)}
		n, err := ndarray.Count([]int{int(h.rows), int(h.cols), 2 * h.elem().Size})
		if err != nil {
			return fmt.Errorf("variable %q: %w", v.Name, err)
		}
		v.size = int64(n) / 2
		if h.imag == 1 {
			v.size = int64(n)
		}
		at = v.offset + v.size
		if at > f.size {
			return fmt.Errorf("variable %q: its header declares %d bytes, but %d remain; the file is truncated, so "+
				"copy or save it again", v.Name, v.size, f.size-v.offset)
		}
		f.Vars = append(f.Vars, v)
	}
	return nil
}

func (f *File) read4(v *Var) (*ndarray.Array, error) {
	n := v.Shape[0] * v.Shape[1]
	a, err := ndarray.Read(io.NewSectionReader(f.r, v.offset, v.size), v.v4.elem(), n, v.size)
	if err != nil {
		return nil, err
	}
	if v.Class == "char" {
		if n == 0 {
			return emptyText(v.Shape[0])
		}
		chars := make([]rune, n)
		for i := range chars {
			chars[i] = rune(a.Value(i))
		}
		return textArray(chars, v.Shape[0], v.Shape[1]), nil
	}
	a.Shape, a.Fortran = v.Shape, true
	return a, nil
}

func cString(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
