package hdf5

import (
	"bytes"
	"errors"
	"fmt"
)

var errGroup = errors.New("the members of a group are corrupt; copy the file again")

// member reads a header message about the members of a group.
func (o *Object) member(kind uint16, b []byte) error {
	switch kind {
	case 0x02: // where links are stored if there are many
		at := 2
		if len(b) > 1 && b[1]&1 != 0 {
			at += 8
		}
		if len(b) < at+8 {
			return errGroup
		}
		if le.Uint64(b[at:]) != undefined {
			return errors.New("a group has a newer version (links in a heap); save the file with h5py's default " +
				"options")
		}
	case 0x06:
		return o.link(b)
	case 0x11:
		if len(b) < 16 {
			return errGroup
		}
		o.table = &[2]uint64{le.Uint64(b), le.Uint64(b[8:])}
	}
	return nil
}

// link reads a link stored in the header.
func (o *Object) link(b []byte) error {
	if len(b) < 3 || b[0] != 1 {
		return errGroup
	}
	flags := b[1]
	b = b[2:]
	hard := true
	if flags&8 != 0 {
		hard, b = b[0] == 0, b[1:]
	}
	for _, skip := range [][2]byte{{4, 8}, {16, 1}} {
		if flags&skip[0] != 0 {
			if len(b) < int(skip[1]) {
				return errGroup
			}
			b = b[skip[1]:]
		}
	}
	width := 1 << (flags & 3)
	if len(b) < width {
		return errGroup
	}
	var n uint64
	for i := range width {
		n |= uint64(b[i]) << (8 * i)
	}
	if b = b[width:]; n > uint64(len(b)) {
		return errGroup
	}
	name := string(b[:n])
	if b = b[n:]; !hard {
		return nil
	}
	if len(b) < 8 {
		return errGroup
	}
	o.links = append(o.links, Link{name, le.Uint64(b)})
	return nil
}

// Links returns the members of a group in file order. Soft links are omitted.
func (o *Object) Links() ([]Link, error) {
	if o.table == nil {
		return o.links, nil
	}
	head, err := o.f.bytes(o.table[1], 32, "a heap of names")
	if err != nil {
		return nil, err
	}
	if string(head[:4]) != "HEAP" {
		return nil, errGroup
	}
	names, err := o.f.bytes(le.Uint64(head[24:]), le.Uint64(head[8:]), "a heap of names")
	if err != nil {
		return nil, err
	}
	links := append([]Link(nil), o.links...)
	err = o.f.leaves(o.table[0], 0, 8, 0, func(_ []byte, addr uint64) error {
		return o.f.symbols(addr, names, &links)
	})
	return links, err
}

// symbols reads a node of a symbol table.
func (f *File) symbols(addr uint64, names []byte, links *[]Link) error {
	b, err := f.bytes(addr, 8, "a table of names")
	if err != nil {
		return err
	}
	if string(b[:4]) != "SNOD" {
		return errGroup
	}
	n := uint64(le.Uint16(b[6:]))
	if b, err = f.bytes(addr+8, 40*n, "a table of names"); err != nil {
		return err
	}
	for ; len(b) >= 40; b = b[40:] {
		at := le.Uint64(b)
		if at >= uint64(len(names)) {
			return errGroup
		}
		name, _, _ := bytes.Cut(names[at:], []byte{0})
		if le.Uint32(b[16:]) != 2 { // 2 is a soft link
			*links = append(*links, Link{string(name), le.Uint64(b[8:])})
		}
	}
	return nil
}

// maxLevel limits the height of a tree.
const maxLevel = 20

// leaves calls visit for every leaf of a version 1 tree, from left to right, with the key and the address of the leaf.
// kind is 0 for groups and 1 for chunks; key is the length of a key.
func (f *File) leaves(addr uint64, kind byte, key, depth int, visit func(key []byte, addr uint64) error) error {
	b, err := f.bytes(addr, 24, "a tree")
	if err != nil {
		return err
	}
	if string(b[:4]) != "TREE" || b[4] != kind || depth > maxLevel {
		return fmt.Errorf("the tree node at address %d is missing; the file is corrupt, so copy it again", addr)
	}
	level, n := b[5], int(le.Uint16(b[6:]))
	if b, err = f.bytes(addr+24, uint64(n*(key+8)), "a tree"); err != nil {
		return err
	}
	for range n {
		child := le.Uint64(b[key:])
		if level == 0 {
			err = visit(b[:key], child)
		} else {
			err = f.leaves(child, kind, key, depth+1, visit)
		}
		if err != nil {
			return err
		}
		b = b[key+8:]
	}
	return nil
}

// Open reads a member of a group.
func (o *Object) Open(l Link) (*Object, error) { return o.f.Object(l.addr) }
