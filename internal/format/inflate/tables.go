package inflate

import "math/bits"

// A table entry has the number of bits of the code in bits 0-4, the kind in bits
// 5-7, the number of extra bits (or of index bits of a second table) in bits 8-11,
// and a literal, a base value or the place of a second table from bit 16 on. Zero is
// no code.
const (
	kindMask    = 7 << 5
	kindLiteral = 1 << 5
	kindCopy    = 2 << 5 // a length or a distance
	kindTable   = 3 << 5 // the place of a second table
	kindEnd     = 4 << 5 // the end of the block
)

const (
	litRoot  = 11 // index bits of the first table of literals and lengths
	distRoot = 8  // of distances
	maxBits  = 15
)

// litEntries and distEntries are the entries of the symbols, without the number of
// bits of their codes.
var litEntries, distEntries = symbolEntries()

func symbolEntries() (lit [288]uint32, dist [32]uint32) {
	for i := range 256 {
		lit[i] = kindLiteral | uint32(i)<<16
	}
	lit[256] = kindEnd
	base := uint32(3)
	for i := range 28 { // symbols 257 to 284
		extra := uint32(max(0, i/4-1))
		lit[257+i] = kindCopy | extra<<8 | base<<16
		base += 1 << extra
	}
	lit[285] = kindCopy | 258<<16
	base = 1
	for i := range 30 {
		extra := uint32(max(0, i/2-1))
		dist[i] = kindCopy | extra<<8 | base<<16
		base += 1 << extra
	}
	return lit, dist
}

// build fills a table with the canonical code of the given lengths (0 for symbols
// that do not occur). root is the number of index bits of the first table. It
// reports whether the lengths make a code: complete, or a single one of one bit.
func build(table []uint32, root uint, lens []uint8, entries []uint32) bool {
	var count [maxBits + 1]int
	longest := uint(0)
	for _, l := range lens {
		count[l]++
		longest = max(longest, uint(l))
	}
	clear(table[:1<<root])
	if longest == 0 {
		return true // no code: an error only if one is used
	}
	var next [maxBits + 2]uint32
	code := uint32(0)
	count[0] = 0
	for l := uint(1); l <= longest; l++ {
		code = (code + uint32(count[l-1])) << 1
		next[l] = code
	}
	end := code + uint32(count[longest])
	if end != 1<<longest && !(end == 1 && longest == 1) {
		return false
	}
	sub := uint(0) // index bits of second tables
	if longest > root {
		sub = longest - root
	}
	free := uint32(1) << root
	for s, l := range lens {
		if l == 0 {
			continue
		}
		n := uint(l)
		r := bits.Reverse32(next[n]) >> (32 - n)
		next[n]++
		if n <= root {
			e := entries[s] | uint32(n)
			for i := r; i < 1<<root; i += 1 << n {
				table[i] = e
			}
			continue
		}
		first := r & (1<<root - 1)
		if table[first]&kindMask != kindTable {
			clear(table[free : free+1<<sub])
			table[first] = kindTable | uint32(sub)<<8 | free<<16
			free += 1 << sub
		}
		at := table[first] >> 16
		e := entries[s] | uint32(n)
		for i := r >> root; i < 1<<sub; i += 1 << (n - root) {
			table[at+i] = e
		}
	}
	return true
}

// fixed makes the tables of blocks with the fixed code.
func (z *Reader) fixed() {
	lens := z.lens[:288]
	for i := range lens {
		switch {
		case i < 144:
			lens[i] = 8
		case i < 256:
			lens[i] = 9
		case i < 280:
			lens[i] = 7
		default:
			lens[i] = 8
		}
	}
	build(z.lit[:], litRoot, lens, litEntries[:])
	lens = z.lens[:32]
	for i := range lens {
		lens[i] = 5
	}
	build(z.dist[:], distRoot, lens, distEntries[:])
}

// order is the order in which the lengths of the code of lengths come.
var order = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// lengthEntries are the entries of the code of lengths: the symbol.
var lengthEntries = func() (e [19]uint32) {
	for i := range e {
		e[i] = kindLiteral | uint32(i)<<16
	}
	return e
}()

// dynamic reads the codes of a block and makes its tables.
func (z *Reader) dynamic() error {
	head, err := z.take(14)
	if err != nil {
		return err
	}
	nlit, ndist, nlen := int(head&31)+257, int(head>>5&31)+1, int(head>>10)+4
	if nlit > 286 || ndist > 30 {
		return ErrCorrupt
	}
	clear(z.lens[:19])
	for _, s := range order[:nlen] {
		l, err := z.take(3)
		if err != nil {
			return err
		}
		z.lens[s] = uint8(l)
	}
	const root = 7
	if !build(z.lit[:1<<root], root, z.lens[:19], lengthEntries[:]) {
		return ErrCorrupt
	}
	total := nlit + ndist
	for i := 0; i < total; {
		if i, err = z.length(i, total); err != nil {
			return err
		}
	}
	// A block that cannot end is corrupt.
	if z.lens[256] == 0 || !build(z.lit[:], litRoot, z.lens[:nlit], litEntries[:]) || !build(z.dist[:], distRoot, z.lens[nlit:total], distEntries[:]) {
		return ErrCorrupt
	}
	return nil
}

// length reads one symbol of the code of lengths, which gives one length or several,
// from place i on. It returns the next place.
func (z *Reader) length(i, total int) (int, error) {
	if z.nbits < 14 {
		if err := z.fill(); err != nil {
			return i, err
		}
	}
	e := z.lit[z.bits&127]
	if e&kindMask != kindLiteral {
		return i, ErrCorrupt
	}
	if _, err := z.take(uint(e & 31)); err != nil {
		return i, err
	}
	symbol := uint8(e >> 16)
	if symbol < 16 {
		z.lens[i] = symbol
		return i + 1, nil
	}
	var value uint8
	repeat, extra := 3, uint(2)
	switch symbol {
	case 16:
		if i == 0 {
			return i, ErrCorrupt
		}
		value = z.lens[i-1]
	case 17:
		extra = 3
	case 18:
		repeat, extra = 11, 7
	}
	n, err := z.take(extra)
	if err != nil {
		return i, err
	}
	repeat += int(n)
	if i+repeat > total {
		return i, ErrCorrupt
	}
	for j := range repeat {
		z.lens[i+j] = value
	}
	return i + repeat, nil
}
