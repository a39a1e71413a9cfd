// Package rowhash hashes rows of numbers. Equal numbers have equal hashes, whatever their type
// and whatever the machine.
//
// The hash of a row is that of its values as little-endian bytes, in the narrowest of the types
// byte, float32 and float64 that holds all of them exactly; -0 is 0, and all NaN are the same.
// Without a key it is XXH64, which anybody can compute. With a key it is SipHash-2-4: who lacks
// the key can neither compute hashes nor test rows against them.
package rowhash

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"github.com/dchest/siphash"
)

// Value is a type of values.
type Value interface{ byte | float32 | float64 }

// Key makes hashes that only its owners can compute.
type Key [2]uint64

// Rows sets dst[i] to the hash of the dim values from x[i*stride] on, by a key or by none. It
// panics when x is too short.
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

// encode returns the values in the narrowest type that holds all of them: where they lie, or
// written to buf.
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

// asBytes returns the memory of the values, nil where -0, NaN or the order of bytes stands in
// the way. It takes a third of the time of a copy.
func asBytes[T float32 | float64](row []T) []byte {
	if len(row) == 0 || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil
	}
	for _, v := range row {
		if v != v || negativeZero(v) {
			return nil
		}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&row[0])), len(row)*int(unsafe.Sizeof(row[0])))
}

func negativeZero[T float32 | float64](v T) bool { return math.Float64bits(float64(v)) == 1<<63 }

// encodeBytes writes integers from 0 to 255 and returns false at another.
func encodeBytes[T float32 | float64](buf []byte, row []T) bool {
	buf = buf[:len(row)]
	for j, v := range row {
		b := byte(int32(v)) // anything where int32 does not hold v, which is then not b
		if T(b) != v {
			return false
		}
		buf[j] = b
	}
	return true
}

// encodeSingles writes values as float32 and returns false at one that it would round.
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

// The multipliers of Spread.
const mix1, mix2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db

// Spread returns two words, each of which depends on all bits of a hash.
func Spread(hash uint64) (uint64, uint64) { return Mix(hash, mix2), Mix(hash^mix2, mix1) }

// Mix is the folded product of two words.
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a|1<<63, b)
	return hi ^ lo ^ bits.RotateLeft64(a, 23)
}
