package dense

import (
	"rao/internal/linalg/cpu"
	"rao/internal/par"
)

// Piece is a block of columns of a matrix that is stored in several places: cols columns, row-major with leading
// dimension ld.
type Piece struct {
	Data     []float64
	Cols, LD int
}

// TimesPieces computes C += [A₁ A₂ …] B for pieces A with m rows and B k×n, where k is the number of columns of all
// pieces. C is m×n. Each piece is read once, in place, for up to 24 columns of B (12 with AVX2, 6 with NEON).
func TimesPieces(m, n int, a []Piece, b []float64, ldb int, c []float64, ldc int) {
	timesPiecesOn(cpu.Use(), m, n, a, b, ldb, c, ldc)
}

func timesPiecesOn(path cpu.Path, m, n int, a []Piece, b []float64, ldb int, c []float64, ldc int) {
	k := 0
	for _, x := range a {
		check("A", len(x.Data), m, x.Cols, x.LD)
		k += x.Cols
	}
	check("B", len(b), k, n, ldb)
	check("C", len(c), m, n, ldc)
	if m == 0 || n == 0 || k == 0 {
		return
	}
	p := newProjection(path, k, n, 1, b, ldb, false)
	p.add = true
	defer giveBack(p.memory)
	par.For(par.Chunks(m, p.kernel.rows), p.skinnyGrain(), func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			p.pieces(i, m, a, c, ldc, worker)
		}
	})
}

// pieces is block for an A in several pieces.
func (p *projection) pieces(b, n int, a []Piece, dst []float64, lddst, worker int) {
	g := p.kernel
	sums, rows := p.scratch(worker)
	lo, hi := p.bounds(b, n)
	at := 0
	for _, x := range a {
		if x.Cols == 0 {
			continue
		}
		src, lda := x.Data[lo*x.LD:], x.LD
		if lo+g.rows > n {
			src, lda = p.edge(rows, src, x.Cols, x.LD, hi-lo), x.Cols
		}
		p.multiply(x.Cols, at, &src[0], lda, sums)
		at += x.Cols
	}
	p.write(lo, hi, sums, dst, lddst)
}
