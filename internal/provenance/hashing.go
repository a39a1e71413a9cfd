package provenance

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/rowhash"
	"rao/internal/rows"
)

// Hashing determines how the rows behind statistics are recorded. The zero value hashes them without a key: anyone who
// has a row can then test whether it was part of the data.
type Hashing struct {
	off   bool
	key   *rowhash.Key
	name  string
	bytes []byte // the key that the user gave
	order []int  // order in which the values of a row are hashed; nil: as stored
}

// HashesOf returns the hashing with a key, which may be nil. If none is true, it records only the number of rows.
func HashesOf(none bool, key []byte) (Hashing, error) {
	switch {
	case none:
		return NoHashes(), nil
	case key != nil:
		return KeyedHashes(key)
	}
	return Hashing{}, nil
}

// Secret returns the key, or nil if there is no key.
func (h Hashing) Secret() []byte { return h.bytes }

// NoHashes records only the number of rows.
func NoHashes() Hashing { return Hashing{off: true} }

// leastKey is the smallest number of bytes of a key.
const leastKey = 16

// KeyedHashes records hashes that only holders of the key can compute. Sites that share the key can find their common
// rows; nobody else can search for rows. The key must have at least 16 bytes that cannot be guessed, for example 32
// random bytes. White space at its start and end is ignored.
func KeyedHashes(key []byte) (Hashing, error) {
	key = bytes.TrimSpace(key)
	if len(key) < leastKey {
		return Hashing{}, fmt.Errorf("a key of %d bytes can be guessed; use 32 random bytes", len(key))
	}
	sum := sha256.Sum256(append([]byte("rao row hashes\x00"), key...))
	return Hashing{
		key:   &rowhash.Key{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])},
		name:  hex.EncodeToString(sum[16:24]),
		bytes: key,
	}, nil
}

// largestKey is the largest size of a key file in bytes. A larger file is probably a data file given by mistake.
const largestKey = 4096

// HashingOf returns the hashing for the text of an option: "" for hashes without a key, "none" for no hashes, or the
// name of a file with a key for [KeyedHashes].
func HashingOf(hashes string) (Hashing, error) {
	switch hashes {
	case "":
		return Hashing{}, nil
	case "none":
		return NoHashes(), nil
	}
	key, err := ReadHashKey(hashes)
	if err != nil {
		return Hashing{}, err
	}
	return KeyedHashes(key)
}

// ReadHashKey reads a key for [KeyedHashes] from a file. The error names the file.
func ReadHashKey(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; name a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	key, err := io.ReadAll(io.LimitReader(f, largestKey+1))
	if err != nil {
		return nil, err
	}
	if len(key) > largestKey {
		return nil, fmt.Errorf("%s: the file is longer than %d bytes, the limit for a key; name a key file",
			path, largestKey)
	}
	if _, err = KeyedHashes(key); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// Key returns a name of the key that does not reveal the key, or "" if there is no key.
func (h Hashing) Key() string { return h.name }

// Off reports whether only the number of rows is recorded.
func (h Hashing) Off() bool { return h.off }

// ByName returns a hashing of rows with named columns that does not depend on the order of the columns. Rows without
// names (nil) are hashed as they are stored.
func (h Hashing) ByName(names []string) Hashing {
	h.order = nil
	if !slices.IsSorted(names) {
		h.order = indices.Sorted(len(names), func(i, j int) int { return strings.Compare(names[i], names[j]) })
	}
	return h
}

// ByChannel is like [Hashing.ByName] for rows that are the matrices of named channels, row by row.
func (h Hashing) ByChannel(names []string) Hashing {
	h = h.ByName(names)
	var cells []int
	for _, i := range h.order {
		for _, j := range h.order {
			cells = append(cells, i*len(names)+j)
		}
	}
	h.order = cells
	return h
}

// rowHashes returns the number of rows of x, and a function that hashes rows [lo,hi).
func (h Hashing) rowHashes(x mat.Matrix) (n int, hash func(dst []uint64, lo, hi int)) {
	n, cols := x.Dims()
	switch s := rows.Of(x); {
	case h.order != nil:
		return n, func(dst []uint64, lo, hi int) {
			in, row, ordered := rows.New(x), make([]float64, cols), make([]float64, cols)
			for i := lo; i < hi; i++ {
				values := in.Row(row, i)
				for k, j := range h.order {
					ordered[k] = values[j]
				}
				rowhash.Rows(dst[i-lo:i-lo+1], h.key, ordered, 0, cols)
			}
		}
	case s.Bytes != nil:
		return n, hasher(h.key, s.Bytes, s.Stride, cols)
	case s.F32 != nil:
		return n, hasher(h.key, s.F32, s.Stride, cols)
	case s.F64 != nil:
		return n, hasher(h.key, s.F64, s.Stride, cols)
	}
	return n, func(dst []uint64, lo, hi int) {
		row := make([]float64, cols)
		for i := lo; i < hi; i++ {
			mat.Row(row, i, x)
			rowhash.Rows(dst[i-lo:i-lo+1], h.key, row, 0, cols)
		}
	}
}

// hasher returns a function that hashes rows of x. Row i starts at x[i*stride].
func hasher[T byte | float32 | float64](key *rowhash.Key, x []T, stride, cols int) func(dst []uint64, lo, hi int) {
	return func(dst []uint64, lo, hi int) { rowhash.Rows(dst[:hi-lo], key, x[lo*stride:], stride, cols) }
}

// Classes collects the identity of the rows of each class separately, so the rows of a class can be left out of a Part.
// The zero value has no rows.
type Classes struct {
	Hashing Hashing
	classes []Builder
}

// AddAll adds the rows of x; labels[i] is the class of row i.
func (c *Classes) AddAll(x mat.Matrix, labels []int) {
	if len(labels) > 0 {
		if most := slices.Max(labels); most >= len(c.classes) {
			c.classes = append(c.classes, make([]Builder, most+1-len(c.classes))...)
		}
	}
	hashes := c.Hashing.hashed(x)
	for i, l := range labels {
		c.classes[l].rows++
		if hashes != nil {
			c.classes[l].add(hashes[i])
		}
	}
}

// Part identifies the rows of the classes for which keep is true; nil keeps all.
func (c *Classes) Part(keep func(class int) bool) Part {
	all := Builder{Hashing: c.Hashing}
	for k := range c.classes {
		if keep == nil || keep(k) {
			all.join(&c.classes[k])
		}
	}
	return all.Part()
}
