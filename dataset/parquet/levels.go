package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// levels are the repetition or definition levels of a page, as stored. The zero value means that there are none.
type levels struct {
	src   []byte
	width int // bits per level
	n     int
}

// none reports whether the page has no levels of this kind.
func (s levels) none() bool { return s.src == nil }

// expand returns the levels, in the memory of dst.
func (s levels) expand(dst []byte) ([]byte, error) { return hybrid(dst[:0], s.src, s.width, s.n) }

// all reports whether every level is v.
func (s levels) all(v byte) bool {
	var some [64]byte // packed levels, a pattern that repeats after every eighth
	eight := s.eight(v)
	pattern := bytes.Repeat(eight, len(some)/max(1, len(eight)))
	return s.every(func(r run) bool {
		if r.packed == nil {
			return r.value == uint32(v)
		}
		whole := r.n / 8 * s.width
		for b := r.packed[:whole]; len(b) > 0; {
			m := min(len(b), len(pattern))
			if !bytes.Equal(b[:m], pattern[:m]) {
				return false
			}
			b = b[m:]
		}
		rest := unpack(some[:0], r.packed[whole:], s.width, r.n%8)
		return bytes.Count(rest, []byte{v}) == len(rest)
	})
}

// eight returns the level v packed eight times.
func (s levels) eight(v byte) []byte {
	var word uint64
	for k := range 8 {
		word |= uint64(v) << (k * s.width)
	}
	return binary.LittleEndian.AppendUint64(nil, word)[:s.width]
}

// rows reports whether the levels belong to lists of the given length: zero at the start of a list and one elsewhere.
// before is the number of values of the first list on the previous page.
func (s levels) rows(length, before int) bool {
	at := before % length
	return s.every(func(r run) bool {
		first := (length - at) % length // index of a level that must be zero
		at = (at + r.n) % length
		switch {
		case r.packed != nil:
			return onesBut(r.packed, r.n, first, length)
		case r.value == 0:
			return r.n == 0 || first == 0 && (r.n == 1 || length == 1)
		}
		return r.n <= first
	})
}

// every calls f with the runs, and reports whether the encoding is valid and f always returned true.
func (s levels) every(f func(run) bool) bool {
	for src, left := s.src, s.n; left > 0; {
		r, rest, err := nextRun(src, s.width, left)
		if err != nil || !f(r) {
			return false
		}
		src, left = rest, left-r.n
	}
	return true
}

// onesBut reports whether, among n packed bits, the bits at first, first+step, ... are zero and all others are one.
func onesBut(packed []byte, n, first, step int) bool {
	for ; n > 0; n -= 64 {
		var word uint64
		if len(packed) >= 8 {
			word = binary.LittleEndian.Uint64(packed)
			packed = packed[8:]
		} else {
			for k, b := range packed {
				word |= uint64(b) << (8 * k)
			}
		}
		m := min(n, 64)
		want := ^uint64(0)
		for ; first < m; first += step {
			want &^= 1 << first
		}
		first -= m
		if (word^want)<<(64-m) != 0 {
			return false
		}
	}
	return true
}

// run is a part of a sequence of integers: n times a value, or n packed values.
type run struct {
	n      int
	value  uint32
	packed []byte // nil if all equal the value
}

// nextRun returns the next run, of no more than most integers with width bits each, and the rest of src.
func nextRun(src []byte, width, most int) (run, []byte, error) {
	if len(src) == 0 {
		return run{}, nil, io.ErrUnexpectedEOF
	}
	head, k := uint64(src[0]), 1
	if head >= 1<<7 { // more than a byte; the short ones are frequent and decoded faster here
		if head, k = binary.Uvarint(src); k <= 0 {
			return run{}, nil, io.ErrUnexpectedEOF
		}
	}
	src = src[k:]
	count := int(min(head>>1, uint64(most)))
	if packed := head&1 == 1; packed && width > 0 { // count is in groups of eight
		bytes := min(count*width, len(src))
		return run{n: min(8*count, most, 8*bytes/width), packed: src[:bytes]}, src[bytes:], nil
	} else if packed {
		return run{n: min(8*count, most)}, src, nil
	}
	size := (width + 7) / 8
	if size > len(src) {
		return run{}, nil, io.ErrUnexpectedEOF
	}
	var v uint32
	for i := range size {
		v |= uint32(src[i]) << (8 * i)
	}
	return run{n: count, value: v}, src[size:], nil
}

// hybrid decodes n integers of width bits, stored as runs and packed groups of eight, and appends them to dst.
func hybrid[T byte | int32](dst []T, src []byte, width, n int) ([]T, error) {
	if width > 32 {
		return dst, fmt.Errorf("numbers with a width of %d bits are not supported", width)
	}
	want := len(dst) + n
	dst = slices.Grow(dst, n)
	for len(dst) < want {
		r, rest, err := nextRun(src, width, want-len(dst))
		if err != nil {
			return dst, fmt.Errorf("%d numbers are missing: %w", want-len(dst), err)
		}
		src = rest
		if r.packed != nil {
			dst = unpack(dst, r.packed, width, r.n)
			continue
		}
		same := dst[len(dst) : len(dst)+r.n]
		for i := range same {
			same[i] = T(r.value)
		}
		dst = dst[:len(dst)+r.n]
	}
	return dst, nil
}

// unpack appends up to n integers of width bits each, lowest bits first.
func unpack[T byte | int32](dst []T, src []byte, width, n int) []T {
	n = min(n, 8*len(src)/width)
	from := len(dst)
	dst = slices.Grow(dst, n)[:from+n]
	out, mask := dst[from:], uint64(1)<<width-1
	i, bit := 0, 0
	for ; width == 1 && i+8 <= n; i += 8 { // most levels
		b, row := src[i>>3], out[i:i+8:i+8]
		row[0], row[1], row[2], row[3] = T(b&1), T(b>>1&1), T(b>>2&1), T(b>>3&1)
		row[4], row[5], row[6], row[7] = T(b>>4&1), T(b>>5&1), T(b>>6&1), T(b>>7)
		bit += 8
	}
	for ; width > 1 && width <= 8 && i+8 <= n && bit>>3+8 <= len(src); i += 8 { // eight per word
		word, row := binary.LittleEndian.Uint64(src[bit>>3:]), out[i:i+8:i+8]
		for k := range row {
			row[k] = T(word & mask)
			word >>= width
		}
		bit += 8 * width
	}
	for ; width > 8 && width <= 15 && i+4 <= n && bit>>3+8 <= len(src); i += 4 { // four per word
		word, row := binary.LittleEndian.Uint64(src[bit>>3:])>>(bit&7), out[i:i+4:i+4]
		for k := range row {
			row[k] = T(word & mask)
			word >>= width
		}
		bit += 4 * width
	}
	for ; i < n && bit>>3+8 <= len(src); i++ { // a number and the bits before it fit in a word
		out[i] = T(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
	for ; i < n; i++ {
		var word uint64
		for k := bit >> 3; k < len(src) && k < bit>>3+8; k++ {
			word |= uint64(src[k]) << (8 * (k - bit>>3))
		}
		out[i] = T(word >> (bit & 7) & mask)
		bit += width
	}
	return dst
}
