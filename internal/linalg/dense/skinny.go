package dense

import (
	"runtime"

	"rao/internal/linalg/cpu"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// widenDepth is the number of values of a row that are widened at a time. This many values of every row of a block fit
// in the level-one cache.
const widenDepth = 256

// widenStride is the distance between widened rows. It is not a power of two, so the rows spread over the sets of the
// cache.
const widenStride = widenDepth + 8

// projection computes A F for an A with any number of rows and an F, k×m, with few columns; neither is empty. A is
// read in place, a block of rows at a time. F is packed in groups of columns.
type projection struct {
	kernel *rowKernels
	k, m   int
	add    bool // add to dst instead of overwriting it
	memory *scratch[float64]
	groups []group
	store  [8]group
	f      []float64 // all groups
	sums   int       // length of a block's sums
	own    int       // values of memory.tiles per worker
}

// group is a set of columns that one call of a kernel processes: some vectors of columns, the last padded with zeros,
// and then single columns.
type group struct {
	first         int // first column
	width, single int // number of vectors and of single columns
	columns       int // number of columns of F in the vectors
	f, sums       int // where the group's values start in the packed F and in the sums
}

// split cuts m columns into groups, which it appends to dst. It returns the lengths of the packed F and of a block's
// sums.
func (g *rowKernels) split(dst []group, k, m int) (groups []group, f, sums int) {
	add := func(first, columns, single int) {
		x := group{first: first, width: par.Chunks(columns, g.lane), single: single, columns: columns, f: f, sums: sums}
		dst = append(dst, x)
		f += k * (x.width*g.lane + single)
		sums += g.rows * (x.width*g.lane + single*g.partial)
	}
	most := len(g.add) - 1 // largest number of vectors
	for first := 0; first < m; {
		columns, single := g.share(m - first)
		for calls := par.Chunks(columns, most*g.lane); calls > 1; calls-- {
			part := par.Chunks(par.Chunks(columns, g.lane), calls) * g.lane
			add(first, part, 0)
			first, columns = first+part, columns-part
		}
		if single >= len(g.add[par.Chunks(columns, g.lane)]) {
			add(first, columns, 0)
			first, columns = first+columns, 0
		}
		add(first, columns, single)
		first += columns + single
	}
	return dst, f, sums
}

// share returns how many of the next columns, of m remaining, are grouped in vectors, and how many single columns
// follow them. Paths with the same constants give the same bits.
func (g *rowKernels) share(m int) (columns, single int) {
	most := len(g.add) - 1
	width := min(most, m/g.few)
	switch rest := m - width*g.few; {
	case rest == 0 || width == most:
		return width * g.few, 0
	case rest <= g.singles-width:
		return width * g.few, rest
	}
	return m, 0
}

// newProjection packs alpha op(F). op(F) is F', stored m×k, if trans is set. The caller must return p.memory,
// of which p is a part.
func newProjection(path cpu.Path, k, m int, alpha float64, f []float64, ldf int, trans bool) *projection {
	g := rowKernelsOf(path)
	memory := poolOf[float64]().Get().(*scratch[float64])
	p := &memory.packed
	*p = projection{kernel: g, k: k, m: m, memory: memory}
	var size int
	p.groups, size, p.sums = g.split(p.store[:0], k, m)
	p.own = p.sums + g.rows*max(k, widenStride)
	memory.grow(size, runtime.GOMAXPROCS(0)*p.own)
	p.f = p.memory.panels
	row, col := ldf, 1
	if trans {
		row, col = 1, ldf
	}
	for _, x := range p.groups {
		wide := x.width * g.lane
		if x.columns < wide {
			clear(p.f[x.f : x.f+k*wide])
		}
		for i := range k {
			dst := p.f[x.f+i*wide : x.f+i*wide+x.columns]
			for q := range dst {
				dst[q] = alpha * f[i*row+(x.first+q)*col]
			}
		}
		for q := range x.single {
			dst, from := p.f[x.f+k*(wide+q):][:k], f[(x.first+x.columns+q)*col:]
			for i := range dst {
				dst[i] = alpha * from[i*row]
			}
		}
	}
	return p
}

// multiply adds to sums the products of a block of rows with k rows of F, starting at row at.
func (p *projection) multiply(k, at int, rows *float64, lda int, sums []float64) {
	g := p.kernel
	for _, x := range p.groups {
		wide := x.width * g.lane
		f, single := &p.f[x.f], &p.f[x.f]
		if wide > 0 {
			f = &p.f[x.f+at*wide]
		}
		if x.single > 0 {
			single = &p.f[x.f+p.k*wide+at]
		}
		g.add[x.width][x.single](k, rows, lda*8, f, single, p.k*8, &sums[x.sums])
	}
}

// grain returns the number of blocks that justify a goroutine.
func (p *projection) grain() int {
	return max(1, (1<<15)/(1+p.kernel.rows*p.k*p.m))
}

// skinnyWork is the number of products with few columns that justify a goroutine.
const skinnyWork = 1 << 19

// skinnyGrain is grain for blocks of a few hundred rows, which are usually multiplied in parallel with other blocks.
func (p *projection) skinnyGrain() int {
	return max(1, skinnyWork/(1+p.kernel.rows*p.k*p.m))
}

// scratch returns a worker's sums, cleared, and its space for rows.
func (p *projection) scratch(worker int) (sums, rows []float64) {
	own := p.memory.tiles[worker*p.own : (worker+1)*p.own]
	clear(own[:p.sums])
	return own[:p.sums], own[p.sums:]
}

// block computes the rows of the product for block b of A, which has n rows.
func (p *projection) block(b, n int, a []float64, lda int, dst []float64, lddst, worker int) {
	lo, hi := p.bounds(b, n)
	p.rows(lo, hi, n, []span{{0, p.k}}, a, lda, dst, lddst, worker)
}

// bounds returns the rows of block b out of n rows.
func (p *projection) bounds(b, n int) (lo, hi int) {
	return b * p.kernel.rows, min((b+1)*p.kernel.rows, n)
}

// rows computes rows lo to hi-1 of the product, at most one block of the n rows of A. Outside the spans, these rows of
// A are zero.
func (p *projection) rows(lo, hi, n int, spans []span, a []float64, lda int, dst []float64, lddst, worker int) {
	g := p.kernel
	sums, rows := p.scratch(worker)
	src := a[lo*lda:]
	if lo+g.rows > n {
		src, lda = p.edge(rows, src, p.k, lda, hi-lo), p.k
	}
	for _, s := range spans {
		p.multiply(s.hi-s.lo, s.lo, &src[s.lo], lda, sums)
	}
	p.write(lo, hi, sums, dst, lddst)
}

// edge copies the last count rows of A, k values each, and pads the block with zeros.
func (p *projection) edge(dst, src []float64, k, lda, count int) []float64 {
	for i := range count {
		copy(dst[i*k:(i+1)*k], src[i*lda:])
	}
	clear(dst[count*k : p.kernel.rows*k])
	return dst
}

func (p *projection) block32(b, n int, a []float32, lda int, dst []float64, lddst, worker int) {
	g := p.kernel
	sums, rows := p.scratch(worker)
	lo, hi := p.bounds(b, n)
	for at := 0; at < p.k; at += widenDepth {
		k := min(widenDepth, p.k-at)
		for i := range g.rows {
			row := rows[i*widenStride : i*widenStride+k]
			if lo+i >= hi {
				clear(row)
				continue
			}
			vec.Widen(row, a[(lo+i)*lda+at:(lo+i)*lda+at+k])
		}
		p.multiply(k, at, &rows[0], widenStride, sums)
	}
	p.write(lo, hi, sums, dst, lddst)
}

// write copies the sums of rows lo to hi-1 to their place in dst.
func (p *projection) write(lo, hi int, sums, dst []float64, lddst int) {
	g := p.kernel
	for _, x := range p.groups {
		wide := x.width * g.lane
		whole, lanes := sums[x.sums:], sums[x.sums+g.rows*wide:]
		for i := lo; i < hi; i++ {
			row := dst[i*lddst+x.first:][:x.columns+x.single]
			if p.add {
				for q, v := range whole[:x.columns] {
					row[q] += v
				}
			} else {
				copy(row, whole[:x.columns])
				clear(row[x.columns:])
			}
			for q := x.columns; q < len(row); q++ {
				row[q] += sum(lanes, g.partial)
				lanes = lanes[g.partial:]
			}
			whole = whole[wide:]
		}
	}
}

// sum adds partial sums pairwise, each value of the first half with one of the second.
func sum(v []float64, count int) float64 {
	if count == 8 {
		w := (*[8]float64)(v)
		return (w[0] + w[4]) + (w[1] + w[5]) + ((w[2] + w[6]) + (w[3] + w[7]))
	}
	return v[0] + v[1]
}
