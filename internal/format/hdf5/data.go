package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zlib"

	"rao/internal/format/ndarray"
	"rao/internal/text"
)

// Shape returns the lengths of the axes of a data set. The last axis varies fastest.
func (o *Object) Shape() []int { return o.space.dims }

// IsReference reports whether the values are references to objects.
func (o *Object) IsReference() bool { return o.typ.class == classReference }

// ElemType returns numpy's name of the element type, such as "u2".
func (o *Object) ElemType() string { return o.typ.elem.String() }

// Read reads a data set of numbers or texts.
func (o *Object) Read() (*ndarray.Array, error) {
	if err := o.typ.readable(); err != nil {
		return nil, err
	}
	if o.IsReference() {
		return nil, errors.New("the values are references, not numbers; name a data set of numbers")
	}
	raw, n, err := o.raw()
	if err != nil {
		return nil, err
	}
	a, err := ndarray.Read(bytes.NewReader(raw), o.typ.elem, n, int64(len(raw)))
	if err != nil {
		return nil, err
	}
	a.Shape = append([]int{}, o.space.dims...)
	return a, nil
}

// References reads a data set of references as the addresses of objects.
func (o *Object) References() ([]uint64, error) {
	if !o.IsReference() {
		return nil, errors.New("the values are not references")
	}
	raw, n, err := o.raw()
	if err != nil {
		return nil, err
	}
	out := make([]uint64, n)
	for i := range out {
		out[i] = le.Uint64(raw[8*i:])
	}
	return out, nil
}

// raw returns the bytes of the values, and the number of values.
func (o *Object) raw() ([]byte, int, error) {
	n, err := o.space.count()
	if err != nil {
		return nil, 0, err
	}
	if o.typ.size < 1 || n > math.MaxInt/2/o.typ.size {
		return nil, 0, errors.New("the type of the values is missing, or there are too many values; the file is " +
			"corrupt, so copy it again")
	}
	total := n * o.typ.size
	switch {
	case n == 0:
		return nil, 0, nil
	case o.lay.class == 0:
		if len(o.lay.data) < total {
			return nil, 0, fmt.Errorf("the data set has %d bytes of values, but %d are needed; the file is "+
				"corrupt, so copy it again", len(o.lay.data), total)
		}
		return o.lay.data[:total], n, nil
	case o.lay.newer:
		return nil, 0, errors.New("the chunks have an index of a newer version; save the file with h5py's default " +
			"options (libver earliest)")
	case o.lay.class == 2:
		b, err := o.chunks(total)
		return b, n, err
	}
	if o.lay.addr == undefined { // never written: all zeros
		if total > 1<<20 {
			return nil, 0, errors.New("its values were never written; save the file again")
		}
		return make([]byte, total), n, nil
	}
	if o.lay.size < uint64(total) || o.lay.addr > uint64(o.f.size) ||
		int64(o.lay.addr) > o.f.size-o.f.base-int64(total) {
		return nil, 0, fmt.Errorf("%d bytes of values at address %d extend past the end of the file; it is "+
			"truncated, so copy it again", total, o.lay.addr)
	}
	b := make([]byte, total)
	if _, err := o.f.r.ReadAt(b, o.f.base+int64(o.lay.addr)); err != nil && err != io.EOF {
		return nil, 0, err
	}
	return b, n, nil
}

// chunk is a piece of a data set in the file.
type chunk struct {
	addr, size uint64
	mask       uint32
	at         []int // index of its first element
}

// mostPacked is the largest compression ratio of Deflate. A header that claims a larger ratio is wrong.
const mostPacked = 1032

// chunks reads a data set that is stored in chunks.
func (o *Object) chunks(total int) ([]byte, error) {
	rank := len(o.space.dims)
	if len(o.lay.chunk) != rank {
		return nil, errors.New("chunks have a different rank than their data set; the file is corrupt, so copy it " +
			"again")
	}
	each, err := ndarray.Count(o.lay.chunk)
	if err != nil || each > maxHeader*16/o.typ.size {
		return nil, fmt.Errorf("chunks of shape %s are too large; save the file with smaller chunks",
			text.Shape(o.lay.chunk))
	}
	each *= o.typ.size
	var list []chunk
	stored := uint64(0)
	if o.lay.addr != undefined {
		err = o.f.leaves(o.lay.addr, 1, 8+8*(rank+1), 0, func(key []byte, addr uint64) error {
			c := chunk{addr: addr, size: uint64(le.Uint32(key)), mask: le.Uint32(key[4:])}
			for i := range rank {
				v := le.Uint64(key[8+8*i:])
				if v >= uint64(max(1, o.space.dims[i])) {
					return errors.New("a chunk is outside its data set; the file is corrupt, so copy it again")
				}
				c.at = append(c.at, int(v))
			}
			stored += c.size
			list = append(list, c)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if uint64(total) > 1<<20+mostPacked*stored {
		return nil, fmt.Errorf("the data set needs %d bytes, but only %d are stored; the file is "+
			"corrupt, so copy it again", total, stored)
	}
	out := make([]byte, total)
	for _, c := range list {
		b, err := o.unpack(c, each)
		if err != nil {
			return nil, fmt.Errorf("the chunk at %v: %w", c.at, err)
		}
		o.place(out, b, c.at)
	}
	return out, nil
}

// unpack reads a chunk and reverses its filters, the last one first.
func (o *Object) unpack(c chunk, each int) ([]byte, error) {
	if c.size > maxHeader*16 || c.addr > uint64(o.f.size) || int64(c.addr) > o.f.size-o.f.base-int64(c.size) {
		return nil, errors.New("the chunk extends past the end of the file; the file is truncated, so copy it again")
	}
	b := make([]byte, c.size)
	if _, err := o.f.r.ReadAt(b, o.f.base+int64(c.addr)); err != nil && err != io.EOF {
		return nil, err
	}
	for i := len(o.pipe) - 1; i >= 0; i-- {
		if c.mask>>i&1 != 0 {
			continue
		}
		switch o.pipe[i].id {
		case filterChecksum:
			if len(b) < 4 {
				return nil, errors.New("the chunk has no checksum; the file is corrupt, so copy it again")
			}
			if fletcher32(b[:len(b)-4]) != le.Uint32(b[len(b)-4:]) {
				return nil, errors.New("its checksum is wrong; copy the file again")
			}
			b = b[:len(b)-4]
		case filterGzip:
			z, err := zlib.NewReader(bytes.NewReader(b))
			if err != nil {
				return nil, fmt.Errorf("its compressed bytes are corrupt (%w); copy the file again", err)
			}
			b, err = io.ReadAll(io.LimitReader(z, int64(each)+16))
			if err != nil {
				return nil, fmt.Errorf("its compressed bytes are corrupt (%w); copy the file again", err)
			}
		case filterShuffle:
			b = unshuffle(b, o.typ.size)
		}
	}
	if len(b) != each {
		return nil, fmt.Errorf("the data set has %d bytes of values, but %d are needed; the file is "+
			"corrupt, so copy it again", len(b), each)
	}
	return b, nil
}

// unshuffle restores the byte order of each value.
func unshuffle(b []byte, size int) []byte {
	n := len(b) / size
	out := make([]byte, len(b))
	for i := range size {
		for k := range n {
			out[k*size+i] = b[i*n+k]
		}
	}
	copy(out[n*size:], b[n*size:])
	return out
}

// fletcher32 computes the checksum of the Fletcher32 filter, over 16-bit words with the high byte first.
func fletcher32(b []byte) uint32 {
	var lo, hi uint32
	add := func(w uint32) {
		lo = (lo + w) % 65535
		hi = (hi + lo) % 65535
	}
	for ; len(b) >= 2; b = b[2:] {
		add(uint32(b[0])<<8 | uint32(b[1]))
	}
	if len(b) == 1 {
		add(uint32(b[0]) << 8)
	}
	return hi<<16 | lo
}

// place copies a chunk to its position in the data set. Values beyond the edges are padding.
func (o *Object) place(out, b []byte, at []int) {
	dims, shape, rank := o.space.dims, o.lay.chunk, len(at)
	row := min(shape[rank-1], dims[rank-1]-at[rank-1]) * o.typ.size
	index := make([]int, rank) // within the chunk; the last axis stays 0
	for {
		to, from, inside := 0, 0, true
		for i := range rank {
			inside = inside && at[i]+index[i] < dims[i]
			to = to*dims[i] + at[i] + index[i]
			from = from*shape[i] + index[i]
		}
		if inside {
			copy(out[to*o.typ.size:to*o.typ.size+row], b[from*o.typ.size:])
		}
		i := rank - 2
		for ; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
		if i < 0 {
			return
		}
	}
}
