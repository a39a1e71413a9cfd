// Package hdf5 reads the part of HDF5 that MAT-files of version 7.3 use.
//
// It supports groups with symbol tables or with links in their header. Data sets of numbers, fixed-length texts and
// object references may be contiguous, compact or chunked, with the filters gzip, shuffle and Fletcher32. MATLAB and,
// by default, h5py use only these features. If a file needs another feature, the error names it.
package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"rao/internal/format/ndarray"
)

var le = binary.LittleEndian

const (
	signature = "\x89HDF\r\n\x1a\n"
	undefined = ^uint64(0)
	maxHeader = 1 << 24 // bytes of a header, a node or a heap
	maxNodes  = 1 << 20 // headers, nodes and messages read in total
	maxRank   = 32
)

// File is an open file.
type File struct {
	r     io.ReaderAt
	size  int64
	base  int64
	root  uint64
	nodes int
	read  int64 // bytes of headers, trees and heaps so far
}

// New reads the superblock, which may be preceded by a user block.
func New(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	for at := int64(0); at+8 <= size; at = max(512, 2*at) {
		var b [8]byte
		if _, err := r.ReadAt(b[:], at); err != nil {
			return nil, err
		}
		if string(b[:]) == signature {
			return f, f.superblock(at)
		}
	}
	return nil, errors.New("not an HDF5 file: it has no signature; copy or save the file again")
}

func (f *File) superblock(at int64) error {
	b, err := ndarray.ReadSection(f.r, f.size, at, min(96, f.size-at), "the superblock")
	if err != nil {
		return err
	}
	cut := errors.New("the file ends within the superblock; it is truncated, so copy it again")
	if len(b) < 48 {
		return cut
	}
	var sizes []byte
	switch b[8] {
	case 0, 1:
		k := 24 + 4*int(b[8])
		if len(b) < k+48 {
			return cut
		}
		sizes = b[13:15]
		f.base, f.root = int64(le.Uint64(b[k:])), le.Uint64(b[k+40:])
	case 2, 3:
		sizes = b[9:11]
		f.base, f.root = int64(le.Uint64(b[12:])), le.Uint64(b[36:])
	default:
		return fmt.Errorf("the HDF5 file has format %d, which is not supported; save the file with h5py", b[8])
	}
	if sizes[0] != 8 || sizes[1] != 8 {
		return fmt.Errorf("the HDF5 file has addresses of %d and lengths of %d bytes, but rao needs 8 for each; "+
			"save the file with h5py",
			sizes[0], sizes[1])
	}
	if f.base != 0 && f.base != at {
		return fmt.Errorf("the HDF5 file has the base address %d; it is corrupt, so copy it again", f.base)
	}
	f.base = at // some writers store 0 after a user block, although addresses count from there
	return nil
}

// bytes reads length bytes at an address in the file.
func (f *File) bytes(addr, length uint64, what string) ([]byte, error) {
	if f.nodes++; f.nodes > maxNodes {
		return nil, fmt.Errorf("it has more than %d pieces; the file is corrupt or too large, so copy it again or "+
			"save it in parts", maxNodes)
	}
	if addr == undefined || addr > uint64(f.size) || length > maxHeader {
		return nil, fmt.Errorf("%s of %d bytes at address %d cannot be in the file; the file is corrupt, so copy it "+
			"again", what, length, addr)
	}
	// Reading an entire file needs a few times its size. Reading more means that the file refers to its own parts in a
	// cycle.
	if f.read += int64(length); f.read > 1<<20+16*f.size {
		return nil, errors.New("its parts refer to each other in a loop; the file is corrupt, so copy it again")
	}
	return ndarray.ReadSection(f.r, f.size, f.base+int64(addr), int64(length), what)
}

// Root returns the root group.
func (f *File) Root() (*Object, error) { return f.Object(f.root) }

// Object is a group or a data set.
type Object struct {
	f     *File
	addr  uint64
	space space
	typ   datatype
	lay   layout
	pipe  []filter
	attrs []attribute
	links []Link
	table *[2]uint64 // B-tree and heap of a group
	group bool
}

// Link is a member of a group.
type Link struct {
	Name string
	addr uint64
}

// IsGroup reports whether the object is a group.
func (o *Object) IsGroup() bool { return o.group }

// Object reads the object with a header at addr.
func (f *File) Object(addr uint64) (*Object, error) {
	head, err := f.bytes(addr, 16, "the header of an object")
	if err != nil {
		return nil, err
	}
	o := &Object{f: f, addr: addr}
	if string(head[:4]) == "OHDR" {
		err = o.newHeader(head)
	} else if head[0] == 1 {
		err = o.oldHeader(head)
	} else {
		err = fmt.Errorf("the object header at address %d is missing; the file is corrupt, so copy it again", addr)
	}
	return o, err
}

// oldHeader reads the messages of a header of version 1.
func (o *Object) oldHeader(head []byte) error {
	blocks := [][2]uint64{{o.addr + 16, uint64(le.Uint32(head[8:]))}}
	for len(blocks) > 0 {
		b, err := o.f.bytes(blocks[0][0], blocks[0][1], "a header's messages")
		if err != nil {
			return err
		}
		blocks = blocks[1:]
		for len(b) >= 8 {
			kind, n, flags := le.Uint16(b), int(le.Uint16(b[2:])), b[4]
			if n > len(b)-8 {
				return errors.New("a message extends past the end of its header; the file is corrupt, so copy it again")
			}
			more, err := o.message(kind, flags, b[8:8+n])
			if err != nil {
				return err
			}
			if more != nil {
				blocks = append(blocks, *more)
			}
			b = b[8+n:]
		}
	}
	return nil
}

// newHeader reads the messages of a header of version 2.
func (o *Object) newHeader(head []byte) error {
	flags := head[5]
	at := uint64(6)
	if flags&0x20 != 0 {
		at += 16
	}
	if flags&0x10 != 0 {
		at += 4
	}
	width := uint64(1) << (flags & 3)
	b, err := o.f.bytes(o.addr+at, width, "the size of a header")
	if err != nil {
		return err
	}
	var size uint64
	for i, v := range b {
		size |= uint64(v) << (8 * i)
	}
	blocks := [][2]uint64{{o.addr + at + width, size}}
	for first := true; len(blocks) > 0; first = false {
		if b, err = o.f.bytes(blocks[0][0], blocks[0][1], "a header's messages"); err != nil {
			return err
		}
		if blocks = blocks[1:]; !first {
			if len(b) < 8 || string(b[:4]) != "OCHK" {
				return errors.New("a header continues at an address without a header; the file is corrupt, so copy " +
					"it again")
			}
			b = b[4 : len(b)-4]
		}
		for extra := int(flags & 4 >> 1); len(b) >= 4+extra; {
			kind, n, mark := uint16(b[0]), int(le.Uint16(b[1:])), b[3]
			if b = b[4+extra:]; n > len(b) {
				return errors.New("a message extends past the end of its header; the file is corrupt, so copy it again")
			}
			more, err := o.message(kind, mark, b[:n])
			if err != nil {
				return err
			}
			if more != nil {
				blocks = append(blocks, *more)
			}
			b = b[n:]
		}
	}
	return nil
}

// message reads a message of a header. more is the address and the length of a continuation, or nil.
func (o *Object) message(kind uint16, flags byte, b []byte) (more *[2]uint64, err error) {
	if o.f.nodes++; o.f.nodes > maxNodes {
		return nil, fmt.Errorf("it has more than %d header messages; the file is corrupt or too large, so copy it "+
			"again or save it in parts", maxNodes)
	}
	if flags&2 != 0 && kind != 0 {
		return nil, errors.New("shared header messages are not supported; save the file with h5py's default options")
	}
	switch kind {
	case 0x01:
		o.space, err = parseSpace(b)
	case 0x03:
		o.typ, err = parseType(b)
	case 0x08:
		o.lay, err = parseLayout(b)
	case 0x0b:
		o.pipe, err = parseFilters(b)
	case 0x0c:
		var a attribute
		if a, err = parseAttribute(b); err == nil && a.name != "" {
			o.attrs = append(o.attrs, a)
		}
	case 0x02, 0x06, 0x11:
		o.group = true
		err = o.member(kind, b)
	case 0x10:
		if len(b) < 16 {
			return nil, errors.New("a header has a continuation without an address; the file is corrupt, so copy it " +
				"again")
		}
		return &[2]uint64{le.Uint64(b), le.Uint64(b[8:])}, nil
	}
	return nil, err
}
