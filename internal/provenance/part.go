// Package provenance identifies the rows behind statistics and models, and checks whether statistics may be merged. A
// [Builder] reads the rows and returns a [Part]; [Merging] compares the parts of a merge.
package provenance

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/par"
	"rao/internal/rowhash"
)

// Part identifies the rows behind statistics or a model without storing them. It contains the number of rows, a digest
// that does not depend on their order, and a sketch. The sketch is the smallest of their hashes, which show whether two
// parts share rows. Equal rows count once in the sketch. Anyone who can compute the hashes (see [Hashing]) can test
// whether a row was part of the data.
type Part struct {
	Rows   int    `json:"rows"`             // number of rows
	Key    string `json:"key,omitempty"`    // name of the secret key of the hashes; empty: no key
	Digest string `json:"digest,omitempty"` // of all rows, in any order; empty: the rows are not hashed
	Sketch string `json:"sketch,omitempty"` // up to 256 hashes of 16 hexadecimal digits each, ascending
}

// Hashed reports whether a part has hashes of its rows.
func Hashed(p Part) bool { return p.Digest != "" }

// sketchSize is the number of hashes in a sketch.
const sketchSize = 256

// Builder computes a Part from rows added one after another. The zero value has no rows. Set Hashing before the first
// row.
type Builder struct {
	Hashing Hashing

	rows   int
	sum    [2]uint64
	hashes []uint64 // the smallest hashes, unsorted
	limit  uint64   // larger hashes are not kept once there are enough
}

// hashedRows is the number of rows that a goroutine hashes at a time.
const hashedRows = 1008

// AddAll adds the rows of x. It is fast for the same types of matrices as gaussian.Accumulator.Add.
func (b *Builder) AddAll(x mat.Matrix) {
	rows, _ := x.Dims()
	b.rows += rows
	b.addEach(b.Hashing.hashed(x))
}

// hashed returns the hashes of the rows, or nil if rows are not hashed.
func (h Hashing) hashed(x mat.Matrix) []uint64 {
	if h.off {
		return nil
	}
	rows, hash := h.rowHashes(x)
	hashes := make([]uint64, rows)
	par.For(rows, hashedRows, func(_, lo, hi int) { hash(hashes[lo:hi], lo, hi) })
	return hashes
}

// addEach adds the hashes of rows that have been counted.
func (b *Builder) addEach(hashes []uint64) {
	for _, h := range hashes {
		b.add(h)
	}
}

func (b *Builder) add(hash uint64) {
	h, second := rowhash.Spread(hash)
	b.sum[0] += h
	b.sum[1] += second
	if b.limit != 0 && h > b.limit {
		return
	}
	if b.hashes = append(b.hashes, h); len(b.hashes) >= 4*sketchSize {
		b.shrink()
	}
}

// join adds the rows of another builder.
func (b *Builder) join(o *Builder) {
	b.rows += o.rows
	b.sum[0] += o.sum[0]
	b.sum[1] += o.sum[1]
	b.hashes = append(b.hashes, o.hashes...)
	b.shrink()
}

func (b *Builder) shrink() {
	slices.Sort(b.hashes)
	b.hashes = slices.Compact(b.hashes)
	if len(b.hashes) >= sketchSize {
		b.hashes = b.hashes[:sketchSize]
		b.limit = b.hashes[sketchSize-1]
	}
}

// Part returns the part of the rows added so far.
func (b *Builder) Part() Part {
	if b.Hashing.off {
		return Part{Rows: b.rows}
	}
	b.shrink()
	return Part{b.rows, b.Hashing.name, b.digest(), sketchOf(b.hashes)}
}

// digest returns a hash of the sums of the hashes. The sums themselves would reveal the hash of the last row to anyone
// who knows all other rows.
func (b *Builder) digest() string {
	var raw []byte
	for _, v := range []uint64{uint64(b.rows), b.sum[0], b.sum[1]} {
		raw = binary.BigEndian.AppendUint64(raw, v)
	}
	sum := sha256.Sum256(append([]byte("rao rows\x00"), raw...))
	return hex.EncodeToString(sum[:16])
}

func sketchOf(hashes []uint64) string {
	var raw []byte
	for _, h := range hashes {
		raw = binary.BigEndian.AppendUint64(raw, h)
	}
	return hex.EncodeToString(raw)
}

// WithoutHashes returns one part with the total number of rows and no hashes.
func WithoutHashes(parts []Part) []Part {
	if parts == nil {
		return nil
	}
	return []Part{{Rows: recordedRows(parts)}}
}

// Join returns one part with the rows of all parts. Use it for rows that arrived in small pieces. It has hashes if all
// parts have hashes with the same key.
func Join(parts []Part) []Part {
	if len(parts) < 2 {
		return parts
	}
	var b Builder
	digest := sha256.New()
	for i := range parts {
		h, err := parts[i].hashes()
		if err != nil || !Hashed(parts[i]) || parts[i].Key != parts[0].Key {
			return WithoutHashes(parts)
		}
		b.hashes = append(b.hashes, h...)
		digest.Write([]byte(parts[i].Digest))
	}
	b.shrink()
	return []Part{{recordedRows(parts), parts[0].Key, hex.EncodeToString(digest.Sum(nil)[:16]), sketchOf(b.hashes)}}
}

func recordedRows(parts []Part) int {
	rows := 0
	for _, p := range parts {
		rows += p.Rows
	}
	return rows
}

// CheckPart returns an error if the number of rows is negative, the sketch is damaged, or the fields contradict each
// other.
func CheckPart(p Part) error {
	h, err := p.hashes()
	switch {
	case p.Rows < 0:
		return fmt.Errorf("a part has %d rows; use a good copy of the file", p.Rows)
	case err != nil || len(h) > sketchSize || !slices.IsSorted(h):
		return fmt.Errorf("the hashes of a part's rows are damaged; use a good copy of the file")
	case (len(h) > 0) != (Hashed(p) && p.Rows > 0):
		return fmt.Errorf("a part has %d rows, the digest %q and %d hashes, which contradict each other; use a good "+
			"copy of the file", p.Rows, p.Digest, len(h))
	}
	return nil
}

func (p *Part) hashes() ([]uint64, error) {
	raw, err := hex.DecodeString(p.Sketch)
	if err != nil || len(raw)%8 != 0 {
		return nil, fmt.Errorf("the sketch of a part's rows has %d characters; it must consist of hashes of 16 "+
			"hexadecimal digits, so use a good copy of the file",
			len(p.Sketch))
	}
	out := make([]uint64, len(raw)/8)
	for i := range out {
		out[i] = binary.BigEndian.Uint64(raw[8*i:])
	}
	return out, nil
}

// sketch is a part with decoded hashes.
type sketch struct {
	*Part
	hashes []uint64
}

func (p *Part) sketch() (sketch, error) {
	h, err := p.hashes()
	return sketch{p, h}, err
}

// overlap returns the fraction of p's rows that are also rows of other. It is exact for parts with up to 256 different
// rows; otherwise it is estimated from a sample. It is 0 if a sketch is damaged or empty or the keys differ.
func (p *Part) overlap(other *Part) float64 {
	mine, err1 := p.sketch()
	theirs, err2 := other.sketch()
	if err1 != nil || err2 != nil {
		return 0
	}
	return mine.overlap(&theirs)
}

func (s *sketch) overlap(other *sketch) float64 {
	switch {
	case len(s.hashes) == 0 || len(other.hashes) == 0 || s.Key != other.Key:
		return 0
	case s.Digest == other.Digest && s.Rows == other.Rows:
		return 1
	}
	limit := uint64(math.MaxUint64) // both sketches are complete up to this hash
	for _, h := range [][]uint64{s.hashes, other.hashes} {
		if len(h) == sketchSize {
			limit = min(limit, h[len(h)-1])
		}
	}
	seen, shared := 0, 0
	for _, h := range s.hashes {
		if h > limit {
			break
		}
		seen++
		if _, ok := slices.BinarySearch(other.hashes, h); ok {
			shared++
		}
	}
	if seen == 0 {
		return 0
	}
	return float64(shared) / float64(seen)
}

// LargestOverlap returns the largest fraction of p's rows that any of the parts contains, or all of them together. It
// is 0 if the fraction is below 5 %, which can be due to chance.
func LargestOverlap(p Part, parts []Part) float64 {
	most := 0.0
	for _, other := range append(slices.Clone(parts), Join(parts)...) {
		most = max(most, p.overlap(&other))
	}
	if most < sharedRows {
		return 0
	}
	return most
}
