package dense

import (
	"rao/internal/linalg/cpu"
	"rao/internal/par"
)

// Project computes dst = Phi F for a symmetric n×n Phi, stored with both triangles, and F n×m; dst is n×m. Phi is read
// in place, once for up to 24 columns of F (12 with AVX2, 6 with NEON), and again from the cache for each further 24.
func Project(n, m int, phi []float64, ldphi int, f []float64, ldf int, dst []float64, lddst int) {
	projectOn(cpu.Use(), n, m, phi, ldphi, f, ldf, dst, lddst)
}

func projectOn(path cpu.Path, n, m int, phi []float64, ldphi int, f []float64, ldf int, dst []float64, lddst int) {
	check("Phi", len(phi), n, n, ldphi)
	projectBlocks(path, 1, n, m, f, ldf, dst, lddst, func(p *projection, _, b, worker int) {
		p.block(b, n, phi, ldphi, dst, lddst, worker)
	})
}

// projectBlocks calls block, in parallel, for every block b of rows of each of c projections. The projections are side
// by side in dst.
func projectBlocks(path cpu.Path, c, n, m int, f []float64, ldf int, dst []float64, lddst int,
	block func(p *projection, i, b, worker int)) {
	check("F", len(f), n, m, ldf)
	check("dst", len(dst), n, c*m, lddst)
	if c == 0 || n == 0 || m == 0 {
		return
	}
	p := newProjection(path, n, m, 1, f, ldf, false)
	defer giveBack(p.memory)
	blocks := par.Chunks(n, p.kernel.rows)
	par.For(c*blocks, p.grain(), func(worker, lo, hi int) {
		for b := lo; b < hi; b++ {
			block(p, b/blocks, b%blocks, worker)
		}
	})
}

// Times32 computes dst += A F for A rows×n in float32 and F n×m. A is read in place, once for as many columns of F as
// in [Project]. Products and sums are in float64.
func Times32(rows, n, m int, a []float32, lda int, f []float64, ldf int, dst []float64, lddst int) {
	times32On(cpu.Use(), rows, n, m, a, lda, f, ldf, dst, lddst)
}

func times32On(path cpu.Path, rows, n, m int, a []float32, lda int, f []float64, ldf int, dst []float64, lddst int) {
	check("A", len(a), rows, n, lda)
	check("F", len(f), n, m, ldf)
	check("dst", len(dst), rows, m, lddst)
	if rows == 0 || n == 0 || m == 0 {
		return
	}
	p := newProjection(path, n, m, 1, f, ldf, false)
	defer giveBack(p.memory)
	p.add = true
	par.For(par.Chunks(rows, p.kernel.rows), p.grain(), func(worker, lo, hi int) {
		for b := lo; b < hi; b++ {
			p.block32(b, rows, a, lda, dst, lddst, worker)
		}
	})
}
