// Package rowhash hashes rows of numbers, many at a time. The hashes are kept in files: they are
// the same for equal numbers of any type, on every machine, and never change.
//
// Let Mix(a, b) = hi ^ lo ^ rotl(a, 23), where hi and lo are the halves of the product of a | 2⁶³
// and b. The hash of a row v of n values is made value by value:
//
//	h = Mix(n ^ b₁, b₂), then for each of them h = Mix(h ^ word(v), b₁).
//
// The word of a value is its bits as a float64, and those of 0 for -0. A step waits for the one
// before it. So rows are hashed side by side: on AVX-512 24 of them in three vectors, else four.
package rowhash

import (
	"math"
	"math/bits"
)

// Value is a type of values.
type Value interface{ byte | float32 | float64 }

// The multipliers b₁ and b₂.
const mix1, mix2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db

// Rows sets dst[i] to the hash of the dim values from x[i*stride] on. It panics when x is too short.
func Rows[T Value](dst []uint64, x []T, stride, dim int) {
	if n := len(dst); n > 0 {
		x = x[:(n-1)*stride+dim]
	}
	if !kernels(dst, x, stride, dim) {
		portable(dst, x, stride, dim)
	}
}

// Spread returns two words, each of which depends on all bits of a hash.
func Spread(hash uint64) (uint64, uint64) { return Mix(hash, mix2), Mix(hash^mix2, mix1) }

func firstHash(dim int) uint64 { return Mix(uint64(dim)^mix1, mix2) }

// Mix is the folded product of two words.
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a|1<<63, b)
	return hi ^ lo ^ bits.RotateLeft64(a, 23)
}

// word returns the bits of a value, the same for 0 and -0.
func word(v float64) uint64 { return math.Float64bits(v + 0) }
