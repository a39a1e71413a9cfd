package gaussian

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/par"
	"rao/internal/rowhash"
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

	background bool
	waiting    []waitingRows
}

// waitingRows are rows that are hashed in the background.
type waitingRows struct {
	chore  *par.Chore
	hashes []uint64
}

// Background makes AddAll return at once: processors that have nothing else to do hash the rows,
// and Part the rest of them. Rows must stay as they are until Part or Drop.
func (b *PartBuilder) Background() { b.background = true }

// Drop gives up what is done in the background. The builder is of no use afterwards.
func (b *PartBuilder) Drop() {
	for _, w := range b.waiting {
		w.chore.Drop()
	}
	b.waiting = nil
}

// Add adds a row of values.
func (b *PartBuilder) Add(row []float64) {
	var hash [1]uint64
	rowhash.Rows(hash[:], row, 0, len(row))
	b.add(hash[0])
}

// AddAll adds the rows of x. The fast ways in are those of [Accumulator.Add], and many times
// as fast as Add: rows are hashed side by side.
func (b *PartBuilder) AddAll(x mat.Matrix) {
	rows, cols := x.Dims()
	if m, ok := x.(rows8); ok {
		if data, _, _, stride := m.RawRows8(); data != nil {
			addHashes(b, data, stride, rows, cols)
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

// hashedRows is how many rows one goroutine hashes at a time, and choreValues how many values in
// the background.
const (
	hashedRows  = 1008
	choreValues = 1 << 17
)

// addHashes adds rows, row i starting at x[i*stride].
func addHashes[T value](b *PartBuilder, x []T, stride, rows, dim int) {
	hashes := make([]uint64, rows)
	hash := func(lo, hi int) { rowhash.Rows(hashes[lo:hi], x[lo*stride:], stride, dim) }
	if b.background {
		grain := max(24, choreValues/max(1, dim)/24*24)
		b.waiting = append(b.waiting, waitingRows{par.Begin(rows, grain, hash), hashes})
		return
	}
	par.For(rows, hashedRows, func(_, lo, hi int) { hash(lo, hi) })
	b.addEach(hashes)
}

// addEach adds the hashes of rows.
func (b *PartBuilder) addEach(hashes []uint64) {
	for _, h := range hashes {
		b.add(h)
	}
}

// add adds the hash of a row.
func (b *PartBuilder) add(hash uint64) {
	h, second := rowhash.Spread(hash)
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
	for _, w := range b.waiting {
		w.chore.Finish()
		b.addEach(w.hashes)
	}
	b.waiting = nil
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
