package hdf5

import (
	"errors"
	"fmt"
	"math"

	"rao/internal/format/ndarray"
)

// space is the shape of a data set or an attribute.
type space struct {
	dims []int
	null bool
}

func (s space) count() (int, error) {
	if s.null {
		return 0, nil
	}
	return ndarray.Count(s.dims)
}

func parseSpace(b []byte) (s space, err error) {
	wrong := errors.New("the shape of a data set is corrupt; copy the file again")
	if len(b) < 4 {
		return s, wrong
	}
	rank, at := int(b[1]), 8
	if b[0] == 2 {
		at, s.null = 4, b[3] == 2
	} else if b[0] != 1 {
		return s, wrong
	}
	if rank > maxRank || len(b) < at+8*rank {
		return s, wrong
	}
	for i := range rank {
		d := le.Uint64(b[at+8*i:])
		if d > 1<<40 || d > math.MaxInt {
			return s, wrong
		}
		s.dims = append(s.dims, int(d))
	}
	_, err = s.count()
	return s, err
}

// datatype is the type of an element.
type datatype struct {
	class byte
	elem  ndarray.Elem // type of one element, for numbers and texts
	size  int
}

var classes = map[byte]string{2: "times", 4: "bit fields", 5: "opaque values", 6: "compounds, such as complex numbers,",
	8: "enumerations", 9: "sequences of variable length", 10: "arrays"}

// These are the classes of types that this package reads.
const (
	classInteger   = 0
	classFloat     = 1
	classText      = 3
	classReference = 7
)

func parseType(b []byte) (t datatype, err error) {
	if len(b) < 8 {
		return t, errors.New("the type of a data set is corrupt; copy the file again")
	}
	t.class, t.size = b[0]&15, int(le.Uint32(b[4:]))
	big := b[1]&1 != 0
	switch t.class {
	case classInteger:
		t.elem = ndarray.Elem{Kind: 'u', Size: t.size, Big: big}
		if b[1]&8 != 0 {
			t.elem.Kind = 'i'
		}
	case classFloat:
		t.elem = ndarray.Elem{Kind: 'f', Size: t.size, Big: big}
	case classText:
		t.elem = ndarray.Elem{Kind: 'S', Size: t.size}
	case classReference:
		if t.size != 8 || b[1]&15 != 0 {
			return t, errors.New("references to parts of data sets are not supported; save the values as numbers")
		}
		return t, nil
	default:
		return t, nil // reading it returns an error
	}
	if !t.elem.Valid() {
		return t, fmt.Errorf("numbers of %d bytes are not supported; save them with 1, 2, 4 or 8 bytes", t.size)
	}
	return t, nil
}

func (t datatype) readable() error {
	switch t.class {
	case classInteger, classFloat, classText, classReference:
		return nil
	}
	if name := classes[t.class]; name != "" {
		return fmt.Errorf("%s are not supported; save the values as numbers or text", name)
	}
	return fmt.Errorf("values of class %d are not supported; save them as numbers or text", t.class)
}

// layout describes where the values of a data set are stored.
type layout struct {
	class byte // 0 in the header, 1 contiguous, 2 in chunks
	data  []byte
	addr  uint64
	size  uint64
	chunk []int // shape of a chunk
	newer bool  // chunks with an unsupported newer index
}

func parseLayout(b []byte) (l layout, err error) {
	wrong := errors.New("the layout of a data set is corrupt; copy the file again")
	if len(b) < 2 {
		return l, wrong
	}
	version := b[0]
	switch {
	case version == 1 || version == 2:
		return oldLayout(b)
	case version != 3 && version != 4:
		return l, fmt.Errorf("version %d of the data layout is not supported; save the file with h5py's default "+
			"options", version)
	}
	l.class = b[1]
	b = b[2:]
	switch l.class {
	case 0:
		if len(b) < 2 || len(b) < 2+int(le.Uint16(b)) {
			return l, wrong
		}
		l.data = b[2 : 2+int(le.Uint16(b))]
	case 1:
		if len(b) < 16 {
			return l, wrong
		}
		l.addr, l.size = le.Uint64(b), le.Uint64(b[8:])
	case 2:
		if version == 4 {
			l.newer = true
			return l, nil
		}
		if len(b) < 1 || b[0] < 2 || int(b[0]) > maxRank+1 || len(b) < 9+4*int(b[0]) {
			return l, wrong
		}
		l.addr = le.Uint64(b[1:])
		l.chunk, err = chunkShape(b[9:], int(b[0])-1)
	default:
		return l, fmt.Errorf("data of layout class %d are not supported; save the file with h5py's default options",
			l.class)
	}
	return l, err
}

// oldLayout reads a layout of version 1 or 2.
func oldLayout(b []byte) (l layout, err error) {
	wrong := errors.New("the layout of a data set is corrupt; copy the file again")
	if len(b) < 8 {
		return l, wrong
	}
	rank := int(b[1])
	l.class = b[2]
	b = b[8:]
	if l.class != 0 {
		if len(b) < 8 {
			return l, wrong
		}
		l.addr, b = le.Uint64(b), b[8:]
	}
	if rank > maxRank+1 || len(b) < 4*rank {
		return l, wrong
	}
	switch l.class {
	case 0:
		if b = b[4*rank:]; len(b) < 4 || uint64(len(b)-4) < uint64(le.Uint32(b)) {
			return l, wrong
		}
		l.data = b[4 : 4+le.Uint32(b)]
	case 1:
		l.size = undefined
	case 2:
		if rank < 2 {
			return l, wrong
		}
		l.chunk, err = chunkShape(b, rank-1)
	default:
		return l, wrong
	}
	return l, err
}

func chunkShape(b []byte, rank int) ([]int, error) {
	shape := make([]int, rank)
	for i := range shape {
		if shape[i] = int(le.Uint32(b[4*i:])); shape[i] < 1 {
			return nil, errors.New("a chunk has no values; the file is corrupt, so copy it again")
		}
	}
	_, err := ndarray.Count(shape)
	return shape, err
}

// filter is one step of the encoding of chunks.
type filter struct{ id uint16 }

// These are the filters that this package supports.
const (
	filterGzip     = 1
	filterShuffle  = 2
	filterChecksum = 3
)

func parseFilters(b []byte) ([]filter, error) {
	wrong := errors.New("the filters of a data set are corrupt; copy the file again")
	if len(b) < 2 {
		return nil, wrong
	}
	version, n := b[0], int(b[1])
	if b = b[2:]; version == 1 {
		if len(b) < 6 {
			return nil, wrong
		}
		b = b[6:]
	}
	var out []filter
	for range n {
		if len(b) < 8 {
			return nil, wrong
		}
		id := le.Uint16(b)
		name, values := 0, 0
		if version == 1 || id >= 256 {
			name, values, b = int(le.Uint16(b[2:])), int(le.Uint16(b[6:])), b[8:]
		} else {
			values, b = int(le.Uint16(b[4:])), b[6:]
		}
		skip := name + 4*values
		if version == 1 {
			skip = (name+7)/8*8 + 4*values + 4*(values%2)
		}
		if len(b) < skip {
			return nil, wrong
		}
		b = b[skip:]
		if id != filterGzip && id != filterShuffle && id != filterChecksum {
			return nil, fmt.Errorf("data packed by filter %d are not supported; save the file with gzip, shuffle or "+
				"Fletcher32", id)
		}
		out = append(out, filter{id})
	}
	return out, nil
}

// attribute is a small value that belongs to an object.
type attribute struct {
	name  string
	typ   datatype
	space space
	data  []byte
}

func parseAttribute(b []byte) (a attribute, err error) {
	wrong := errors.New("an attribute is corrupt; copy the file again")
	if len(b) < 8 {
		return a, wrong
	}
	version := b[0]
	n := [3]int{int(le.Uint16(b[2:])), int(le.Uint16(b[4:])), int(le.Uint16(b[6:]))}
	if version > 1 && b[1] != 0 {
		return a, nil // shared types are not needed
	}
	if b = b[8:]; version == 3 && len(b) > 0 {
		b = b[1:]
	}
	var part [3][]byte
	for i, size := range n {
		step := size
		if version == 1 {
			step = (size + 7) / 8 * 8
		}
		if size > len(b) {
			return a, wrong
		}
		part[i], b = b[:size], b[min(step, len(b)):]
	}
	if a.typ, err = parseType(part[1]); err != nil {
		return attribute{}, nil // unsupported types are not needed
	}
	a.space, err = parseSpace(part[2])
	a.name, a.data = ndarray.Text(part[0]), b
	return a, err
}

// Text returns the value of a text attribute, or "" if there is none with this name.
func (o *Object) Text(name string) string {
	for _, a := range o.attrs {
		if a.name == name && a.typ.class == classText && len(a.data) >= a.typ.size {
			return ndarray.Text(a.data[:a.typ.size])
		}
	}
	return ""
}

// Has reports whether the object has an attribute with this name.
func (o *Object) Has(name string) bool {
	for _, a := range o.attrs {
		if a.name == name {
			return true
		}
	}
	return false
}
