package dense

import "rao/internal/par"

// triangleLane is the order of a block of an upper triangle: one AVX-512 vector, or two AVX2 vectors.
const triangleLane = 8

// A product of a stack reads only the upper triangles if the matrices have order at least triangleOrder and, in total,
// at least triangleValues values, about the size of a level-two cache.
const (
	triangleValues = 1 << 18
	triangleOrder  = 128
)

// The work is divided into at least leastUnits units if the matrices are large enough for bands of leastBand columns of
// blocks. The columns of a chunk have at most chunkValues values of F and Y, so these stay in the level-one cache along
// with two rows of its blocks.
const (
	leastUnits  = 16
	leastBand   = 12
	chunkValues = 5120
)

// blockGrain is the number of blocks of rows that a goroutine writes at a time.
const blockGrain = 4

// aheadRows is the number of rows that a kernel prefetches.
const aheadRows = 3

// blocking cuts the matrices of a stack into square blocks. The last block ends where the matrix does, so only the
// first can have fewer rows.
type blocking struct {
	short  int      // number of rows missing from the first block
	blocks int      // number of blocks in a row of blocks
	bands  int      // number of bands of a matrix, each a unit of work
	spans  [][]span // by matrix: ranges of blocks that are not zero, for rows and columns
	cuts   [][]int  // by matrix: the columns of blocks at which its bands begin, and the end of the last
}

func newBlocking(s *Stack) *blocking {
	const lane = triangleLane
	t := &blocking{blocks: par.Chunks(s.n, lane)}
	t.short = t.blocks*lane - s.n
	t.bands = max(1, min(par.Chunks(leastUnits, max(1, s.c)), t.blocks/leastBand))
	for _, spans := range s.spans {
		var out []span
		for _, x := range spans { // spans are too far apart for two to share a block
			out = append(out, span{(x.lo + t.short) / lane, par.Chunks(x.hi+t.short, lane)})
		}
		t.spans, t.cuts = append(t.spans, out), append(t.cuts, t.cut(out))
	}
	return t
}

// cut returns where the bands of a matrix begin. Each band has about the same number of blocks on and above the
// diagonal.
func (t *blocking) cut(spans []span) []int {
	order := 0
	for _, x := range spans {
		order += x.hi - x.lo
	}
	out := []int{0}
	done, column := 0, 0
	for _, x := range spans {
		for b := x.lo; b < x.hi && len(out) < t.bands; b++ {
			if 2*done*t.bands >= order*(order+1)*len(out) {
				out = append(out, b)
			}
			column++
			done += column
		}
	}
	for len(out) <= t.bands {
		out = append(out, t.blocks)
	}
	return out
}

// triangles computes the products of a stack with few columns from the upper triangles of its matrices. A block above
// the diagonal contributes to the values of its rows and, transposed, to the values of its columns. For each block, F
// and Y hold one vector per column.
//
// Each band sums into its own Y, because bands share rows. At the end the sums are written row by row, so no two
// processors write to the same cache line.
type triangles struct {
	*blocking
	stack  *Stack
	kernel []triangleKernel
	m      int
	step   int       // number of values of F in a block
	chunk  int       // largest number of blocks per call of a kernel
	groups []span    // groups of columns of F
	f, y   []float64 // F, and Y of all bands
	own    int       // number of values in copies per worker
	copies []float64
	dst    []float64
	lddst  int
}

// project is [Stack.Project] with the upper triangles only.
func (b *blocking) project(s *Stack, m int, f []float64, ldf int, dst []float64, lddst int) {
	t := &triangles{blocking: b, stack: s, kernel: rowKernelsOf(s.path).triangle, m: m, step: triangleLane * m,
		dst: dst, lddst: lddst}
	t.chunk = max(1, chunkValues/(2*triangleLane*(m+triangleLane)))
	for lo, left := 0, par.Chunks(m, len(t.kernel)); left > 0; left-- {
		hi := lo + par.Chunks(m-lo, left)
		t.groups = append(t.groups, span{lo, hi})
		lo = hi
	}
	units, size := s.c*t.bands, t.blocks*t.step
	t.own = triangleLane * triangleLane * (t.chunk + 1)
	memory := borrow[float64](size+par.Workers(units, 1)*t.own, units*size)
	defer giveBack(memory)
	t.f, t.copies, t.y = memory.panels[:size], memory.panels[size:], memory.tiles
	t.pack(f, ldf)
	par.For(units, 1, func(worker, lo, hi int) {
		for u := lo; u < hi; u++ {
			t.band(u/t.bands, u%t.bands, t.copies[worker*t.own:(worker+1)*t.own])
		}
	})
	par.For(t.blocks, blockGrain, func(_, lo, hi int) {
		for b := lo; b < hi; b++ {
			for i := range s.c {
				t.write(i, b)
			}
		}
	})
}

// pack copies F into blocks.
func (t *triangles) pack(f []float64, ldf int) {
	clear(t.f[:t.step])
	for r := range t.stack.n {
		at := r + t.short
		dst := t.f[at/triangleLane*t.step+at%triangleLane:]
		for j, v := range f[r*ldf : r*ldf+t.m] {
			dst[j*triangleLane] = v
		}
	}
}

// sums returns Y of a band of matrix i.
func (t *triangles) sums(i, band int) []float64 {
	size := t.blocks * t.step
	return t.y[(i*t.bands+band)*size:][:size]
}

// band computes a band of matrix i, one chunk of its columns at a time.
func (t *triangles) band(i, band int, own []float64) {
	n, y := t.stack.n, t.sums(i, band)
	a := t.stack.data[i*n*n : (i+1)*n*n]
	lo, hi := t.cuts[i][band], t.cuts[i][band+1]
	clear(y[:hi*t.step])
	for q, x := range t.spans[i] {
		from, width := max(x.lo, lo), min(x.hi, hi)-max(x.lo, lo)
		chunks := par.Chunks(max(0, width), t.chunk)
		for c := range chunks {
			columns := span{from + c*width/chunks, from + (c+1)*width/chunks}
			for _, above := range t.spans[i][:q] {
				t.rows(a, above, columns, y, own)
			}
			t.rows(a, span{x.lo, columns.hi}, columns, y, own)
		}
	}
}

// rows adds to y the products of the given rows and columns of blocks, on and above the diagonal. own is scratch
// memory.
func (t *triangles) rows(a []float64, rows, columns span, y, own []float64) {
	n := t.stack.n
	for b := rows.lo; b < rows.hi; b++ {
		at, right := b*triangleLane-t.short, columns // at is the first row of the block
		if b >= right.lo {
			t.diagonal(a, b, y, own)
			right.lo = b + 1
		}
		if right.lo == right.hi {
			continue
		}
		from := right.lo*triangleLane - t.short
		if at < 0 {
			width := (right.hi - right.lo) * triangleLane
			clear(own[:-at*width])
			for r := -at; r < triangleLane; r++ {
				copy(own[r*width:(r+1)*width], a[(at+r)*n+from:])
			}
			for _, g := range t.groups {
				t.multiply(g, b, right, &own[0], width, t.at(y, right.lo, g), y, &own[0])
			}
			continue
		}
		here, next := &a[at*n+from], (at+triangleLane)*n+from
		for _, g := range t.groups {
			ahead := here
			if b+1 < rows.hi && next < (at+2*triangleLane)*n {
				ahead = &a[next]
				next += aheadRows * n
			}
			t.multiply(g, b, right, here, n, t.at(y, right.lo, g), y, ahead)
		}
	}
}

// diagonal adds the contribution of diagonal block b to its rows, from a copy with both triangles. The contribution to
// its columns is discarded.
func (t *triangles) diagonal(a []float64, b int, y, own []float64) {
	n, at := t.stack.n, b*triangleLane-t.short
	block, dropped := own[:triangleLane*triangleLane], &own[triangleLane*triangleLane]
	if at < 0 {
		clear(block)
	}
	for r := max(0, -at); r < triangleLane; r++ {
		for q, v := range a[(at+r)*n+at+r : (at+r)*n+at+triangleLane] {
			block[r*triangleLane+r+q], block[(r+q)*triangleLane+r] = v, v
		}
	}
	for _, g := range t.groups {
		t.multiply(g, b, span{b, b + 1}, &block[0], triangleLane, dropped, y, &block[0])
	}
}

// at returns a pointer to the values of the columns g in block b of F or Y.
func (t *triangles) at(x []float64, b int, g span) *float64 { return &x[b*t.step+g.lo*triangleLane] }

// multiply adds the products of the columns g of F with the blocks c of row b, stored at a.
func (t *triangles) multiply(g span, b int, c span, a *float64, lda int, yj *float64, y []float64, ahead *float64) {
	t.kernel[g.hi-g.lo-1](c.hi-c.lo, a, lda*8, t.at(t.f, c.lo, g), yj, t.at(t.f, b, g), t.at(y, b, g), t.step*8, ahead)
}

// write adds up the bands of block b of matrix i and writes its rows.
func (t *triangles) write(i, b int) {
	at := b * t.step
	y := t.sums(i, t.bands-1)[at : at+t.step]
	for band := t.bands - 2; band >= 0 && b < t.cuts[i][band+1]; band-- {
		for q, v := range t.sums(i, band)[at : at+t.step] {
			y[q] += v
		}
	}
	row := b*triangleLane - t.short
	for r := max(0, -row); r < triangleLane; r++ {
		out := t.dst[(row+r)*t.lddst+i*t.m:][:t.m]
		for j := range out {
			out[j] = y[j*triangleLane+r]
		}
	}
}
