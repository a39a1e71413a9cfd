// Package digest hashes numbers with the same result on every machine.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"unsafe"
)

// Digest is the SHA-256 of the added numbers and texts, in order.
type Digest struct {
	hash hash.Hash
	buf  []byte
}

// New returns an empty digest.
func New() *Digest { return &Digest{hash: sha256.New()} }

// littleEndian reports whether the machine stores numbers in the byte order of digests.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Floats adds the bits of numbers.
func (d *Digest) Floats(v []float64) {
	if littleEndian {
		d.hash.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v)))
		return
	}
	d.buf = d.buf[:0]
	for _, x := range v {
		d.buf = binary.LittleEndian.AppendUint64(d.buf, math.Float64bits(x))
	}
	d.hash.Write(d.buf)
}

// Ints adds integers.
func (d *Digest) Ints(v []int) {
	d.buf = d.buf[:0]
	for _, x := range v {
		d.buf = binary.LittleEndian.AppendUint64(d.buf, uint64(x))
	}
	d.hash.Write(d.buf)
}

// Text adds the bytes of a text. Two texts have the same digest as their concatenation. Quote the texts if this
// matters.
func (d *Digest) Text(s string) { d.hash.Write([]byte(s)) }

// String returns the digest as 64 hexadecimal digits.
func (d *Digest) String() string { return hex.EncodeToString(d.hash.Sum(nil)) }
