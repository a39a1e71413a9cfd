package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rao/internal/format/ndarray"
	"rao/internal/text"
)

// Header describes the array in an npy file.
type Header struct {
	Type    ndarray.Elem
	Fortran bool
	Shape   []int
	Len     int   // number of elements
	Start   int64 // offset of the elements in the file
}

// Bytes returns the size of the elements in the file.
func (h *Header) Bytes() int64 { return int64(h.Len) * int64(h.Type.Size) }

const magic = "\x93NUMPY"

// maxHeader limits the length of a header's text. numpy's limit is 10000.
const maxHeader = 1 << 16

func readHeader(r io.Reader) (*Header, error) {
	var pre [12]byte
	if _, err := io.ReadFull(r, pre[:8]); err != nil {
		return nil, ndarray.EndsInside("the npy header", err)
	}
	if string(pre[:6]) != magic {
		return nil, errors.New("not an npy file: it does not start with \\x93NUMPY; copy or save it again")
	}
	size := 0
	switch pre[6] {
	case 1:
		if _, err := io.ReadFull(r, pre[8:10]); err != nil {
			return nil, ndarray.EndsInside("the npy header", err)
		}
		size = int(binary.LittleEndian.Uint16(pre[8:]))
	case 2, 3:
		if _, err := io.ReadFull(r, pre[8:12]); err != nil {
			return nil, ndarray.EndsInside("the npy header", err)
		}
		size = int(min(binary.LittleEndian.Uint32(pre[8:]), maxHeader+1))
	default:
		return nil, fmt.Errorf("npy format version %d.%d is not supported; rao reads versions 1, 2 and 3", pre[6],
			pre[7])
	}
	start := int64(10 + size)
	if pre[6] > 1 {
		start += 2
	}
	if size > maxHeader {
		return nil, fmt.Errorf("the npy header is longer than %d bytes; the file is corrupt, so copy it again",
			maxHeader)
	}
	raw := make([]byte, size)
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, ndarray.EndsInside("the npy header", err)
	}
	h, err := parseHeader(string(raw))
	if err == nil {
		h.Start = start
	}
	return h, err
}

// parseHeader reads a dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
func parseHeader(header string) (*Header, error) {
	p := &literal{text: header}
	h := &Header{}
	var haveDescr, haveOrder, haveShape bool
	p.expect('{')
	for p.err == nil && !p.accept('}') {
		key := p.str()
		p.expect(':')
		switch key {
		case "descr":
			p.space()
			if p.peek() == '[' {
				return nil, errors.New("the npy array has records (a structured type); save one plain array per field")
			}
			var err error
			if h.Type, err = parseElem(p.str()); err != nil && p.err == nil {
				return nil, err
			}
			haveDescr = true
		case "fortran_order":
			h.Fortran = p.boolean()
			haveOrder = true
		case "shape":
			h.Shape = p.tuple()
			haveShape = true
		default:
			p.fail("unexpected key " + strconv.Quote(key))
		}
		if !p.accept(',') {
			p.expect('}')
			break
		}
	}
	if p.err == nil && !(haveDescr && haveOrder && haveShape) {
		p.fail("descr, fortran_order or shape is missing")
	}
	if p.err != nil {
		return nil, p.err
	}
	n, err := ndarray.Count(h.Shape)
	if err != nil {
		return nil, fmt.Errorf("npy header: %w", err)
	}
	if !ndarray.Fits(n, h.Type) {
		return nil, fmt.Errorf("npy header: the shape %s is too large for the memory of this machine; save smaller "+
			"parts", text.Shape(h.Shape))
	}
	h.Len = n
	return h, nil
}

// parseElem reads a type string such as "<f8" or "|u1".
func parseElem(s string) (ndarray.Elem, error) {
	bad := func(why string) (ndarray.Elem, error) {
		return ndarray.Elem{}, fmt.Errorf("npy element type %q %s", s, why)
	}
	if len(s) < 2 {
		return bad("is not known; save the array again with NumPy")
	}
	e := ndarray.Elem{}
	body := s
	switch s[0] {
	case '<', '|', '=':
		body = s[1:]
	case '>':
		e.Big = true
		body = s[1:]
	}
	if body == "" {
		return bad("is not known; save the array again with NumPy")
	}
	e.Kind = body[0]
	switch e.Kind {
	case 'O':
		return bad("is a pickled Python object; save a plain numeric or text array, such as np.asarray(x, float)")
	case 'c':
		return bad("is complex; save its real part or absolute value")
	case 'M', 'm':
		return bad("is a date or a time span; save numbers")
	case 'V':
		return bad("is raw bytes; save numbers")
	}
	size, err := strconv.Atoi(body[1:])
	if err != nil || size < 0 {
		return bad("is not known; save the array again with NumPy")
	}
	e.Size = size
	if e.Kind == 'U' {
		if size > 1<<22 {
			return bad("is a text that is too long; save shorter texts")
		}
		e.Size = 4 * size
	}
	if !e.Valid() {
		return bad("is not supported; rao reads f2, f4, f8, u1 to u8, i1 to i8, bool, U and S")
	}
	return e, nil
}

// literal parses the few kinds of Python literals that a header contains.
type literal struct {
	text string
	at   int
	err  error
}

func (p *literal) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("the npy header is corrupt at character %d: %s; copy or save the file again", p.at+1, what)
	}
}

func (p *literal) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *literal) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *literal) accept(c byte) bool {
	p.space()
	if p.err == nil && p.peek() == c {
		p.at++
		return true
	}
	return false
}

func (p *literal) expect(c byte) {
	if !p.accept(c) {
		p.fail(fmt.Sprintf("%q is missing", c))
	}
}

// str reads a quoted string without escapes.
func (p *literal) str() string {
	p.space()
	q := p.peek()
	if q != '\'' && q != '"' {
		p.fail("a quoted name is missing")
		return ""
	}
	end := strings.IndexByte(p.text[p.at+1:], q)
	if end < 0 {
		p.fail("a quote is not closed")
		return ""
	}
	s := p.text[p.at+1 : p.at+1+end]
	p.at += end + 2
	return s
}

func (p *literal) boolean() bool {
	p.space()
	switch rest := p.text[p.at:]; {
	case strings.HasPrefix(rest, "True"):
		p.at += len("True")
		return true
	case strings.HasPrefix(rest, "False"):
		p.at += len("False")
		return false
	}
	p.fail("True or False is missing")
	return false
}

// maxAxes is numpy's limit on the number of axes.
const maxAxes = 64

// tuple reads (), (3,) or (3, 4), and (3L, 4L) as written by Python 2.
func (p *literal) tuple() []int {
	shape := []int{}
	p.expect('(')
	for p.err == nil && !p.accept(')') {
		p.space()
		start := p.at
		for p.at < len(p.text) && (p.text[p.at] == '-' || p.text[p.at] >= '0' && p.text[p.at] <= '9') {
			p.at++
		}
		d, err := strconv.Atoi(p.text[start:p.at])
		switch {
		case errors.Is(err, strconv.ErrRange):
			p.fail("shape length " + p.text[start:p.at] + " is too large for the memory of this machine")
		case err != nil:
			p.fail("a length of the shape is missing")
		case d < 0:
			p.fail("the shape has the negative length " + p.text[start:p.at])
		case len(shape) == maxAxes:
			p.fail("the shape has more than 64 axes")
		}
		p.accept('L')
		shape = append(shape, d)
		if !p.accept(',') {
			p.expect(')')
			break
		}
	}
	return shape
}
