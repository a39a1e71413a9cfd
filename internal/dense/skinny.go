package dense

import (
	"runtime"

	"rao/internal/cpu"
)

// widenDepth is how many values of a row are widened at a time: a block of rows
// of them stays in the level-one cache.
const widenDepth = 256

// widenStride is the distance of widened rows: not a power of two, so that they
// spread over the cache's sets.
const widenStride = widenDepth + 8

// projection computes A F for an A of any number of rows and F k×m with few
// columns, neither of them empty. A is read where it lies, a block of rows at a time; F is packed, by
// groups of up to three vectors of columns, zero beyond m.
type projection struct {
	kernel *rowKernels
	k, m   int
	padded int  // m rounded up to whole vectors
	add    bool // add to dst rather than write it
	memory *scratch[float64]
	f      []float64 // group after group, each k rows of its width
	own    int       // values of memory.tiles that a worker owns
}

// newProjection packs alpha op(F); op(F) is F', stored m×k, when trans is set.
// The memory must be given back.
func newProjection(path cpu.Path, k, m int, alpha float64, f []float64, ldf int, trans bool) *projection {
	g := rowKernelsOf(path)
	p := &projection{kernel: g, k: k, m: m, padded: roundUp(m, g.lane)}
	p.own = g.rows * (p.padded + max(k, widenStride))
	p.memory = borrow[float64](k*p.padded, runtime.GOMAXPROCS(0)*p.own)
	p.f = p.memory.panels
	p.groups(func(j, width int) {
		dst, cols := p.f[j*k:], min(width, m-j)
		for i := range k {
			row := dst[i*width : (i+1)*width]
			if trans {
				for q := range cols {
					row[q] = alpha * f[(j+q)*ldf+i]
				}
			} else {
				for q, v := range f[i*ldf+j : i*ldf+j+cols] {
					row[q] = alpha * v
				}
			}
			clear(row[cols:])
		}
	})
	return p
}

// groups calls do for the first column and the width of every group.
func (p *projection) groups(do func(j, width int)) {
	most := len(p.kernel.add) * p.kernel.lane
	for j := 0; j < p.padded; j += most {
		do(j, min(most, p.padded-j))
	}
}

// grain is the number of blocks worth a goroutine.
func (p *projection) grain() int {
	return max(1, (1<<18)/(1+p.kernel.rows*p.k*p.padded))
}

// scratch returns a worker's cleared sums and its space for rows.
func (p *projection) scratch(worker int) (sums, rows []float64) {
	own := p.memory.tiles[worker*p.own : (worker+1)*p.own]
	split := p.kernel.rows * p.padded
	clear(own[:split])
	return own[:split], own[split:]
}

// block computes the rows of block b of A, which has n rows.
func (p *projection) block(b, n int, a []float64, lda int, dst []float64, lddst, worker int) {
	g := p.kernel
	sums, rows := p.scratch(worker)
	lo, hi := b*g.rows, min((b+1)*g.rows, n)
	src := a[lo*lda:]
	if hi-lo < g.rows {
		for i := range hi - lo {
			copy(rows[i*p.k:(i+1)*p.k], src[i*lda:])
		}
		clear(rows[(hi-lo)*p.k : g.rows*p.k])
		src, lda = rows, p.k
	}
	next := &src[0]
	if (b+1)*g.rows < n {
		next = &a[(b+1)*g.rows*lda]
	}
	p.groups(func(j, width int) {
		g.add[width/g.lane-1](p.k, &src[0], lda*8, &p.f[j*p.k], &sums[j*g.rows], next)
	})
	p.write(b, n, sums, dst, lddst)
}

// block32 is block for A in float32.
func (p *projection) block32(b, n int, a []float32, lda int, dst []float64, lddst, worker int) {
	g := p.kernel
	sums, rows := p.scratch(worker)
	lo, hi := b*g.rows, min((b+1)*g.rows, n)
	for at := 0; at < p.k; at += widenDepth {
		k := min(widenDepth, p.k-at)
		for i := range g.rows {
			row := rows[i*widenStride : i*widenStride+k]
			if lo+i >= hi {
				clear(row)
				continue
			}
			src := a[(lo+i)*lda+at : (lo+i)*lda+at+k]
			whole := k &^ 7
			if whole > 0 {
				g.widen(whole, &src[0], &row[0])
			}
			for q := whole; q < k; q++ {
				row[q] = float64(src[q])
			}
		}
		p.groups(func(j, width int) {
			g.add[width/g.lane-1](k, &rows[0], widenStride*8, &p.f[j*p.k+at*width], &sums[j*g.rows], &rows[0])
		})
	}
	p.write(b, n, sums, dst, lddst)
}

// write puts the sums of block b where they belong.
func (p *projection) write(b, n int, sums, dst []float64, lddst int) {
	g := p.kernel
	lo, hi := b*g.rows, min((b+1)*g.rows, n)
	p.groups(func(j, width int) {
		cols := min(width, p.m-j)
		for i := lo; i < hi; i++ {
			at := j*g.rows + (i-lo)*width
			row := dst[i*lddst+j : i*lddst+j+cols]
			if !p.add {
				copy(row, sums[at:at+cols])
				continue
			}
			for q, v := range sums[at : at+cols] {
				row[q] += v
			}
		}
	})
}
