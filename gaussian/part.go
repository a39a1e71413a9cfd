package gaussian

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Part identifies a set of rows that statistics, or a model, came from, without
// holding them: their number, a digest that does not depend on their order, and the
// smallest hashes among them, by which two parts that share rows are found out. Equal
// rows count once in the sketch. The hashes are not secret: who has a row can find out
// whether it was part of the data.
type Part struct {
	Rows   int    `json:"rows"`
	Digest string `json:"digest"`
	Sketch string `json:"sketch"` // hashes of 8 bytes, ascending, hexadecimal
}

// sketchSize is how many hashes a part keeps.
const sketchSize = 256

// PartBuilder makes a Part of rows that come one after the other. The zero value has
// seen none.
type PartBuilder struct {
	rows   int
	sum    [2]uint64
	hashes []uint64 // the smallest, unsorted
	limit  uint64   // hashes above are not kept, once there are enough
}

const mix1, mix2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db

// Add adds a row of values.
func (b *PartBuilder) Add(row []float64) { addHashes(b, row, len(row), 1, len(row)) }

// AddAll adds the rows of x. The fast ways in are those of [Accumulator.Add], and several times
// as fast as Add: a hash waits for that of the value before, but not for other rows.
func (b *PartBuilder) AddAll(x mat.Matrix) {
	rows, cols := x.Dims()
	if m, ok := x.(rows8); ok {
		if data, _, _, stride := m.RawRows8(); data != nil {
			addByteHashes(b, data, stride, rows, cols)
			return
		}
	}
	if m, ok := x.(rows32); ok {
		if data, _, _, stride := m.RawRows32(); data != nil {
			addHashes(b, data, stride, rows, cols)
			return
		}
	}
	if m, ok := x.(rows64); ok {
		if data, _, _, stride := m.RawRows64(); data != nil {
			addHashes(b, data, stride, rows, cols)
			return
		}
	}
	if m, ok := x.(mat.RawMatrixer); ok {
		raw := m.RawMatrix()
		addHashes(b, raw.Data, raw.Stride, rows, cols)
		return
	}
	row := make([]float64, cols)
	for i := range rows {
		b.Add(mat.Row(row, i, x))
	}
}

func firstHash(dim int) uint64 { return mix(uint64(dim)^mix1, mix2) }

// addHashes adds rows, row i starting at x[i*stride], four at a time.
func addHashes[T value](b *PartBuilder, x []T, stride, rows, dim int) {
	first := firstHash(dim)
	row := func(i int) []T { return x[i*stride : i*stride+dim : i*stride+dim] }
	i := 0
	for ; i+4 <= rows; i += 4 {
		r0, r1, r2, r3 := row(i), row(i+1), row(i+2), row(i+3)
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		h0, h1, h2, h3 := first, first, first, first
		for j, v := range r0 {
			h0 = mix(h0^word(float64(v)), mix1)
			h1 = mix(h1^word(float64(r1[j])), mix1)
			h2 = mix(h2^word(float64(r2[j])), mix1)
			h3 = mix(h3^word(float64(r3[j])), mix1)
		}
		b.add(h0)
		b.add(h1)
		b.add(h2)
		b.add(h3)
	}
	for ; i < rows; i++ {
		h := first
		for _, v := range row(i) {
			h = mix(h^word(float64(v)), mix1)
		}
		b.add(h)
	}
}

// addByteHashes is addHashes for bytes, whose words are looked up.
func addByteHashes(b *PartBuilder, x []byte, stride, rows, dim int) {
	first := firstHash(dim)
	row := func(i int) []byte { return x[i*stride : i*stride+dim : i*stride+dim] }
	i := 0
	for ; i+4 <= rows; i += 4 {
		r0, r1, r2, r3 := row(i), row(i+1), row(i+2), row(i+3)
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		h0, h1, h2, h3 := first, first, first, first
		for j, v := range r0 {
			h0 = mix(h0^byteWords[v], mix1)
			h1 = mix(h1^byteWords[r1[j]], mix1)
			h2 = mix(h2^byteWords[r2[j]], mix1)
			h3 = mix(h3^byteWords[r3[j]], mix1)
		}
		b.add(h0)
		b.add(h1)
		b.add(h2)
		b.add(h3)
	}
	if i < rows {
		addHashes(b, x[i*stride:], stride, rows-i, dim)
	}
}

// byteWords are the words of bytes.
var byteWords = func() (words [256]uint64) {
	for v := range words {
		words[v] = word(float64(v))
	}
	return words
}()

// word returns the bits of a value, the same for 0 and -0.
func word(v float64) uint64 { return math.Float64bits(v + 0) }

// mix is the folded product of two words.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a|1<<63, b)
	return hi ^ lo ^ bits.RotateLeft64(a, 23)
}

// add adds the hash of a row.
func (b *PartBuilder) add(hash uint64) {
	h, second := mix(hash, mix2), mix(hash^mix2, mix1)
	b.rows++
	b.sum[0] += h
	b.sum[1] += second
	if b.limit != 0 && h > b.limit {
		return
	}
	if b.hashes = append(b.hashes, h); len(b.hashes) >= 4*sketchSize {
		b.shrink()
	}
}

func (b *PartBuilder) shrink() {
	slices.Sort(b.hashes)
	b.hashes = slices.Compact(b.hashes)
	if len(b.hashes) >= sketchSize {
		b.hashes = b.hashes[:sketchSize]
		b.limit = b.hashes[sketchSize-1]
	}
}

// Part returns what was seen.
func (b *PartBuilder) Part() Part {
	b.shrink()
	var raw []byte
	for _, h := range b.hashes {
		raw = binary.BigEndian.AppendUint64(raw, h)
	}
	return Part{b.rows, fmt.Sprintf("%016x%016x", b.sum[0], b.sum[1]), hex.EncodeToString(raw)}
}

// Validate returns an error unless the fields can be.
func (p *Part) Validate() error {
	h, err := p.hashes()
	switch {
	case p.Rows < 0:
		return fmt.Errorf("a part of %d rows", p.Rows)
	case err != nil || len(h) > sketchSize || !slices.IsSorted(h):
		return fmt.Errorf("the sketch of a part's rows is damaged")
	}
	return nil
}

func (p *Part) hashes() ([]uint64, error) {
	raw, err := hex.DecodeString(p.Sketch)
	if err != nil || len(raw)%8 != 0 {
		return nil, fmt.Errorf("a sketch of %d digits", len(p.Sketch))
	}
	out := make([]uint64, len(raw)/8)
	for i := range out {
		out[i] = binary.BigEndian.Uint64(raw[8*i:])
	}
	return out, nil
}

// Overlap estimates the share of p's rows that are rows of other too: exactly for
// parts of up to 256 different rows, else from a sample of them. It is 1 for equal
// parts and 0 where a sketch is damaged or empty.
func (p *Part) Overlap(other *Part) float64 {
	mine, err1 := p.hashes()
	theirs, err2 := other.hashes()
	if err1 != nil || err2 != nil || len(mine) == 0 || len(theirs) == 0 {
		return 0
	}
	if p.Digest == other.Digest && p.Rows == other.Rows {
		return 1
	}
	limit := uint64(math.MaxUint64) // both sketches are complete up to here
	for _, h := range [][]uint64{mine, theirs} {
		if len(h) == sketchSize {
			limit = min(limit, h[len(h)-1])
		}
	}
	seen, shared := 0, 0
	for _, h := range mine {
		if h > limit {
			break
		}
		seen++
		if _, ok := slices.BinarySearch(theirs, h); ok {
			shared++
		}
	}
	if seen == 0 {
		return 0
	}
	return float64(shared) / float64(seen)
}
