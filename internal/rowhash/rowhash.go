// Package rowhash hashes rows of numbers. Equal numbers have equal hashes, on any machine and for any element type.
//
// The hash of a row is the hash of its values as little-endian bytes, in the narrowest of the types byte, float32 and
// float64 that represents all of them exactly; -0 is replaced by 0, and every NaN by the same NaN. Without a key, the
// hash function is XXH64, which anybody can compute. With a key, it is SipHash-2-4: nobody without the key can compute
// hashes or test whether a row has a given hash.
package rowhash

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"github.com/dchest/siphash"
)

// Value is the type of a row's values.
type Value interface{ byte | float32 | float64 }

// Key is a secret key. Only its owners can compute hashes with it.
type Key [2]uint64

// Rows sets dst[i] to the hash of the dim values starting at x[i*stride]. key may be nil. It panics if x is too short.
func Rows[T Value](dst []uint64, key *Key, x []T, stride, dim int) {
	sum := xxhash.Sum64
	if key != nil {
		sum = func(b []byte) uint64 { return siphash.Hash(key[0], key[1], b) }
	}
	buf := make([]byte, 8*dim)
	for i := range dst {
		row := x[i*stride : i*stride+dim : i*stride+dim]
		dst[i] = sum(encode(buf, row))
	}
}

// encode returns the values in the narrowest type that represents all of them. If possible, the result is the memory of
// the values; otherwise encode writes to buf.
func encode[T Value](buf []byte, row []T) []byte {
	switch row := any(row).(type) {
	case []byte:
		return row
	case []float32:
		if encodeBytes(buf, row) {
			return buf[:len(row)]
		}
		if memory := asBytes(row); memory != nil {
			return memory
		}
		encodeSingles(buf, row)
		return buf[:4*len(row)]
	case []float64:
		if encodeBytes(buf, row) {
			return buf[:len(row)]
		}
		if encodeSingles(buf, row) {
			return buf[:4*len(row)]
		}
		if memory := asBytes(row); memory != nil {
			return memory
		}
		for j, v := range row {
			if v != v {
				v = math.NaN()
			}
			binary.LittleEndian.PutUint64(buf[8*j:], math.Float64bits(v+0)) // -0 + 0 is 0
		}
	}
	return buf
}

// asBytes returns the memory of the values, or nil if -0, an unusual NaN or the byte order prevents it. It is three
// times as fast as a copy.
func asBytes[T float32 | float64](row []T) []byte {
	if len(row) == 0 || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil
	}
	switch row := any(row).(type) {
	case []float32:
		for _, v := range row {
			if b := math.Float32bits(v); b == 1<<31 || v != v && b != math.Float32bits(float32(math.NaN())) {
				return nil
			}
		}
	case []float64:
		// The highest bit of special is set by a -0 and by a NaN with other bits than math.NaN. One branch per row is
		// faster than one per value.
		special, nan := uint64(0), math.Float64bits(math.NaN())
		for _, v := range row {
			b := math.Float64bits(v)
			negative, other := b^1<<63, b^nan
			special |= (negative-1)&^negative | (0x7ff<<52-b&^(1<<63))&(other|-other)
		}
		if special>>63 != 0 {
			return nil
		}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&row[0])), len(row)*int(unsafe.Sizeof(row[0])))
}

// encodeBytes writes the values as bytes. It returns false if a value is not an integer from 0 to 255.
func encodeBytes[T float32 | float64](buf []byte, row []T) bool {
	buf = buf[:len(row)]
	for j, v := range row {
		b := byte(int32(v)) // undefined if int32 does not hold v, but then not equal to v
		if T(b) != v {
			return false
		}
		buf[j] = b
	}
	return true
}

// encodeSingles writes the values as float32. It returns false if a value would be rounded.
func encodeSingles[T float32 | float64](buf []byte, row []T) bool {
	for j, v := range row {
		s := float32(v)
		if float64(s) != float64(v) {
			if v == v {
				return false
			}
			s = float32(math.NaN())
		}
		binary.LittleEndian.PutUint32(buf[4*j:], math.Float32bits(s+0))
	}
	return true
}

// mix1 and mix2 are the multipliers of Spread.
const mix1, mix2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db

// Spread returns two words that each depend on all bits of a hash.
func Spread(hash uint64) (uint64, uint64) { return Mix(hash, mix2), Mix(hash^mix2, mix1) }

// Mix returns the folded product of two words.
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a|1<<63, b)
	return hi ^ lo ^ bits.RotateLeft64(a, 23)
}
