package matfile

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"rao/internal/faults"
	"rao/internal/format/ndarray"
	"rao/internal/text"
)

// These are the types of data elements (MAT-File Format, table 1-1).
const (
	miINT8       = 1
	miUINT8      = 2
	miINT16      = 3
	miUINT16     = 4
	miINT32      = 5
	miUINT32     = 6
	miSINGLE     = 7
	miDOUBLE     = 9
	miINT64      = 12
	miUINT64     = 13
	miMATRIX     = 14
	miCOMPRESSED = 15
	miUTF8       = 16
	miUTF16      = 17
	miUTF32      = 18
)

var classNames = [...]string{"unknown", "cell", "struct", "object", "char", "sparse", "double", "single",
	"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "function", "opaque"}

const (
	maxName = 4096
	maxAxes = 64
)

var errEnds = faults.Also(errors.New("it ends too early; the file is truncated or corrupt, so copy or save it again"),
	io.ErrUnexpectedEOF)

type element struct {
	r     io.Reader
	order binary.ByteOrder
	left  int64 // bytes left in the enclosing matrix
}

// full reads len(b) bytes.
func (e *element) full(b []byte) error {
	if int64(len(b)) > e.left {
		return errEnds
	}
	if _, err := io.ReadFull(e.r, b); err != nil {
		return unpackError(err)
	}
	e.left -= int64(len(b))
	return nil
}

// unpackError adds a remedy to errors of the decompression.
func unpackError(err error) error {
	switch {
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return errEnds
	case errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrHeader), strings.HasPrefix(err.Error(), "flate:"):
		return fmt.Errorf("its compressed bytes are corrupt (%w); copy or save the file again", err)
	}
	return err
}

// tag is the type and size of a data element. The tag of a small element also contains its data, up to four bytes.
type tag struct {
	typ   uint32
	size  int64
	small bool
	data  [4]byte
}

func (e *element) tag() (t tag, err error) {
	var b [8]byte
	if err := e.full(b[:]); err != nil {
		return t, err
	}
	first := e.order.Uint32(b[:])
	if n := first >> 16; n != 0 {
		if n > 4 {
			return t, errors.New("a data element is corrupt; copy or save the file again")
		}
		t.typ, t.size, t.small = first&0xffff, int64(n), true
		copy(t.data[:], b[4:])
		return t, nil
	}
	t.typ, t.size = first, int64(e.order.Uint32(b[4:]))
	return t, nil
}

// pad returns the number of bytes between the end of an element and the next multiple of eight.
func (t tag) pad() int64 {
	if t.small {
		return 0
	}
	return (8 - t.size%8) % 8
}

// bytes reads the data of an element of at most limit bytes.
func (e *element) bytes(t tag, limit int64) ([]byte, error) {
	if t.size > limit {
		return nil, fmt.Errorf("a data element of its header has %d bytes; the file is corrupt, so copy it again",
			t.size)
	}
	if t.small {
		return t.data[:t.size], nil
	}
	b := make([]byte, t.size)
	if err := e.full(b); err != nil {
		return nil, err
	}
	return b, e.skip(t.pad())
}

// skip skips n bytes. Missing padding at the very end is not an error.
func (e *element) skip(n int64) error {
	n = min(n, e.left)
	if _, err := io.CopyN(io.Discard, e.r, n); err != nil && err != io.EOF {
		return unpackError(err)
	}
	e.left -= n
	return nil
}

// header reads the array flags, the dimensions and the name of a matrix.
func (e *element) header() (*Var, error) {
	v := new(Var)
	t, err := e.tag()
	if err != nil {
		return nil, err
	}
	flags, err := e.bytes(t, 16)
	if err != nil {
		return nil, err
	}
	if t.typ != miUINT32 || len(flags) != 8 {
		return nil, errors.New("its array flags are corrupt; copy or save the file again")
	}
	word := e.order.Uint32(flags)
	v.Class = classNames[0]
	if c := word & 0xff; int(c) < len(classNames) {
		v.Class = classNames[c]
	}
	v.logical, v.complex = word&0x200 != 0, word&0x800 != 0
	if v.Class == "opaque" || v.Class == "function" { // no dimensions follow
		return v, nil
	}
	if t, err = e.tag(); err != nil {
		return nil, err
	}
	dims, err := e.bytes(t, 4*maxAxes)
	if err != nil {
		return nil, err
	}
	if t.typ != miINT32 || len(dims)%4 != 0 || len(dims) < 8 {
		return nil, errors.New("its dimensions are corrupt; copy or save the file again")
	}
	for ; len(dims) > 0; dims = dims[4:] {
		v.Shape = append(v.Shape, int(int32(e.order.Uint32(dims))))
	}
	if t, err = e.tag(); err != nil {
		return nil, err
	}
	name, err := e.bytes(t, maxName)
	if err != nil {
		return nil, err
	}
	v.Name = cString(name)
	if _, err := ndarray.Count(v.Shape); err != nil {
		return nil, fmt.Errorf("variable %q: %w", v.Name, err)
	}
	return v, nil
}

// scan5 lists the variables of a version 5 file.
func (f *File) scan5() error {
	for at := int64(128); at < f.size; {
		var b [8]byte
		if n, err := f.r.ReadAt(b[:], at); n < 8 {
			return ndarray.EndsInside("a variable's tag", err)
		}
		typ, size := f.order.Uint32(b[:]), int64(f.order.Uint32(b[4:]))
		if size > f.size-at-8 {
			return fmt.Errorf("variable %d at byte %d: its tag declares %d bytes, but %d remain; the file is "+
				"truncated, so copy or save it again", len(f.Vars)+1, at, size, f.size-at-8)
		}
		v := Var{offset: at + 8, size: size, packed: typ == miCOMPRESSED}
		if typ == miMATRIX || typ == miCOMPRESSED {
			e, c, err := f.matrix(&v)
			if err == nil {
				var h *Var
				if h, err = e.header(); err == nil {
					h.offset, h.size, h.packed = v.offset, v.size, v.packed
					if h.Name != "" { // unnamed variables belong to MATLAB's own subsystem
						f.Vars = append(f.Vars, *h)
					}
				}
				c.Close()
			}
			if err != nil {
				return inVariable(fmt.Sprintf("number %d at byte %d", len(f.Vars)+1, at), err)
			}
		}
		at += 8 + size
	}
	return nil
}

// matrix opens the content of a variable's miMATRIX element.
func (f *File) matrix(v *Var) (*element, io.Closer, error) {
	section := io.NewSectionReader(f.r, v.offset, v.size)
	if !v.packed {
		return &element{r: bufio.NewReaderSize(section, 1<<14), order: f.order, left: v.size}, io.NopCloser(nil), nil
	}
	z, err := zlib.NewReader(bufio.NewReaderSize(section, 1<<14))
	if err != nil {
		return nil, nil, unpackError(err)
	}
	e := &element{r: z, order: f.order, left: 8}
	t, err := e.tag()
	if err == nil && (t.typ != miMATRIX || t.small) {
		err = errors.New("the variable does not contain an array; copy or save the file again")
	}
	if err != nil {
		z.Close()
		return nil, nil, err
	}
	e.left = t.size
	return e, z, nil
}

// budget returns the number of bytes of elements that may be allocated before they have been read.
func (v *Var) budget() int64 {
	if v.packed {
		return ndarray.Budget(v.size)
	}
	return v.size
}

// read5 reads a variable of a version 5 file.
func (f *File) read5(v *Var) (*ndarray.Array, error) {
	e, c, err := f.matrix(v)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := e.header(); err != nil {
		return nil, err
	}
	a, err := e.values(v, v.budget())
	if err != nil {
		return nil, err
	}
	if v.packed { // read to the end, where the checksum is
		if _, err := io.Copy(io.Discard, e.r); err != nil {
			return nil, unpackError(err)
		}
	}
	return a, nil
}

// values reads the part of a matrix after its header.
func (e *element) values(v *Var, budget int64) (*ndarray.Array, error) {
	n, err := ndarray.Count(v.Shape)
	if err != nil {
		return nil, err
	}
	switch v.Class {
	case "char":
		return e.chars(v, n)
	case "cell":
		return e.cell(v, n)
	case "sparse":
		return e.sparse(v, n)
	}
	numbers, err := e.numbers(v, budget)
	if err != nil {
		return nil, err
	}
	a, err := numbers.All()
	if err != nil {
		return nil, unpackError(err)
	}
	if v.logical {
		a.Type = "bool"
	} else if v.Class == "double" {
		a.Type = "f8" // whatever type it was stored as
	}
	a.Shape, a.Fortran = v.Shape, true
	return a, nil
}

// numbers opens the elements of a numeric matrix after its header.
func (e *element) numbers(v *Var, budget int64) (*ndarray.Stream, error) {
	n, err := ndarray.Count(v.Shape)
	if err != nil {
		return nil, err
	}
	t, typ, err := e.numericTag()
	if err != nil {
		return nil, err
	}
	if want := int64(n) * int64(typ.Size); t.size != want {
		return nil, fmt.Errorf("its shape %s needs %d bytes, but it has %d; the file is corrupt, so copy it again",
			text.Shape(v.Shape), want, t.size)
	}
	if t.small {
		return ndarray.NewStream(strings.NewReader(string(t.data[:])), typ, n, budget), nil
	}
	if t.size > e.left {
		return nil, errEnds
	}
	e.left -= t.size
	return ndarray.NewStream(e.r, typ, n, budget), nil
}

// numericTag reads the tag of a numeric data element, and returns its element type too.
func (e *element) numericTag() (t tag, typ ndarray.Elem, err error) {
	if t, err = e.tag(); err == nil {
		typ, err = e.numeric(t.typ)
	}
	return t, typ, err
}

// numeric returns the element type of a numeric data element.
func (e *element) numeric(typ uint32) (ndarray.Elem, error) {
	big := e.order == binary.ByteOrder(binary.BigEndian)
	switch typ {
	case miINT8:
		return ndarray.Elem{Kind: 'i', Size: 1}, nil
	case miUINT8, miUTF8:
		return ndarray.Elem{Kind: 'u', Size: 1}, nil
	case miINT16:
		return ndarray.Elem{Kind: 'i', Size: 2, Big: big}, nil
	case miUINT16, miUTF16:
		return ndarray.Elem{Kind: 'u', Size: 2, Big: big}, nil
	case miINT32:
		return ndarray.Elem{Kind: 'i', Size: 4, Big: big}, nil
	case miUINT32, miUTF32:
		return ndarray.Elem{Kind: 'u', Size: 4, Big: big}, nil
	case miSINGLE:
		return ndarray.Elem{Kind: 'f', Size: 4, Big: big}, nil
	case miDOUBLE:
		return ndarray.Elem{Kind: 'f', Size: 8, Big: big}, nil
	case miINT64:
		return ndarray.Elem{Kind: 'i', Size: 8, Big: big}, nil
	case miUINT64:
		return ndarray.Elem{Kind: 'u', Size: 8, Big: big}, nil
	}
	return ndarray.Elem{}, fmt.Errorf("its values are of type %d, which is not numeric; the file is corrupt, so copy "+
		"it again", typ)
}

// maxText limits the size of a character array, in bytes.
const maxText = 1 << 28

// chars reads a character array of n characters.
func (e *element) chars(v *Var, n int) (*ndarray.Array, error) {
	if len(v.Shape) != 2 {
		return nil, fmt.Errorf("a character array of %d axes cannot be read; save it with two axes", len(v.Shape))
	}
	if n == 0 {
		return emptyText(v.Shape[0])
	}
	t, typ, err := e.numericTag()
	if err != nil {
		return nil, err
	}
	if t.size > maxText || t.size > e.left && !t.small {
		return nil, errEnds
	}
	var raw []byte
	if t.small {
		raw = t.data[:t.size]
	} else {
		var b strings.Builder
		if _, err := io.CopyN(&b, e.r, t.size); err != nil {
			return nil, unpackError(err)
		}
		e.left -= t.size
		raw = []byte(b.String())
		if err := e.skip(t.pad()); err != nil {
			return nil, err
		}
	}
	chars := decodeChars(raw, t.typ, typ, e.order)
	if len(chars) != n {
		return nil, fmt.Errorf("its shape %s needs %d characters, but it has %d; the file is corrupt, so copy it again",
			text.Shape(v.Shape), n, len(chars))
	}
	return textArray(chars, v.Shape[0], v.Shape[1]), nil
}

func decodeChars(text []byte, code uint32, typ ndarray.Elem, order binary.ByteOrder) []rune {
	switch {
	case code == miUTF8:
		return []rune(string(text))
	case typ.Size == 2:
		units := make([]uint16, len(text)/2)
		for i := range units {
			units[i] = order.Uint16(text[2*i:])
		}
		return utf16.Decode(units)
	}
	chars := make([]rune, 0, len(text)/typ.Size)
	for ; len(text) >= typ.Size; text = text[typ.Size:] {
		c := rune(text[0])
		if typ.Size == 4 {
			c = rune(order.Uint32(text))
		}
		if !utf8.ValidRune(c) {
			c = utf8.RuneError
		}
		chars = append(chars, c)
	}
	return chars
}

// maxCells limits the number of cells of a cell array.
const maxCells = 1 << 24

// cell reads a cell array of character rows.
func (e *element) cell(v *Var, n int) (*ndarray.Array, error) {
	if n > maxCells || int64(n) > e.left/8 {
		return nil, errEnds
	}
	a := &ndarray.Array{Type: "U", Shape: v.Shape, Fortran: true, Strings: make([]string, 0, min(n, 1<<12))}
	for i := range n {
		t, err := e.tag()
		if err != nil {
			return nil, err
		}
		if t.typ != miMATRIX || t.size > e.left {
			return nil, errEnds
		}
		inner := &element{r: e.r, order: e.order, left: t.size}
		word := ""
		if t.size > 0 {
			h, err := inner.header()
			if err != nil {
				return nil, err
			}
			if h.Class != "char" || len(h.Shape) != 2 || h.Shape[0] > 1 {
				return nil, fmt.Errorf("cell %d contains a %s array of shape %s; cells form an array only if all are "+
					"text; name one cell, such as {%d}", i, h.Class, text.Shape(h.Shape), i+1)
			}
			m, err := ndarray.Count(h.Shape)
			if err != nil {
				return nil, err
			}
			got, err := inner.chars(h, m)
			if err != nil {
				return nil, err
			}
			if len(got.Strings) > 0 {
				word = got.Strings[0]
			}
			if err := inner.skip(inner.left); err != nil {
				return nil, err
			}
		}
		e.left -= t.size
		a.Strings = append(a.Strings, word)
	}
	return a, nil
}
