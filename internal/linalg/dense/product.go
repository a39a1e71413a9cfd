package dense

import (
	"runtime"

	"rao/internal/par"
)

// These are the sizes of the blocks that a goroutine works on at a time: the panels of columns that fit in half a
// level-two cache, and the rows that are multiplied by these panels. 48 is a multiple of every tile's rows and divides
// evenly into panels.
const (
	blockPanels = 8
	blockRows   = 48
	blockCols   = 3072 // columns packed at a time; a multiple of every panel's width
)

// target is the matrix that a product is added to.
type target struct {
	alpha float64
	c     []float64
	ldc   int
	m, n  int
	upper bool // compute only tiles that touch the upper triangle
}

// addTile adds one tile at row i and column j. It computes only the vectors that are inside C and, for an upper
// triangle, not entirely below the diagonal. Tiles that cross the edge of C are copied to a buffer and back, so an
// element has the same bits in every tile. The contents of the buffer beyond C are undefined.
func addTile[T float32 | float64](g *kernels[T], t *target, k, i, j int, a, b []T, tile []float64) {
	first, last := 0, par.Chunks(min(g.cols, t.n-j), g.lane)
	if t.upper && i > j {
		first = (i - j) / g.lane
	}
	add, from := g.tile[last-first-1], &b[first*g.lane]
	j += first * g.lane
	cols := (last - first) * g.lane
	if i+g.rows <= t.m && j+cols <= t.n {
		add(k, &a[0], from, t.alpha, &t.c[i*t.ldc+j], t.ldc*8)
		return
	}
	rows, inside := min(g.rows, t.m-i), min(cols, t.n-j)
	for r := range rows {
		copy(tile[r*cols:], t.c[(i+r)*t.ldc+j:][:inside])
	}
	add(k, &a[0], from, t.alpha, &tile[0], cols*8)
	for r := range rows {
		copy(t.c[(i+r)*t.ldc+j:][:inside], tile[r*cols:])
	}
}

// tileSpace returns the space for one tile for each possible worker.
func tileSpace[T float32 | float64](g *kernels[T]) int {
	return runtime.GOMAXPROCS(0) * g.rows * g.cols
}

// gemm adds alpha A'B to C, with k along the rows of both views.
func gemm[T float32 | float64](g *kernels[T], k int, alpha float64, a, b view[T], c []float64, ldc int) {
	if a.n == 0 || b.n == 0 || k == 0 || alpha == 0 {
		return
	}
	t := target{alpha: alpha, c: c, ldc: ldc, m: a.n, n: b.n}
	for c0 := 0; c0 < b.n; c0 += blockCols {
		for r0 := 0; r0 < a.n; r0 += blockCols {
			runPipeline(&pipeline[T]{
				kernels: g, target: t, k: k, a: a, b: b,
				r0: r0, r1: min(r0+blockCols, a.n), c0: c0, c1: min(c0+blockCols, b.n),
			}, false)
		}
	}
}

// syrk adds alpha A'A to the upper triangle of C, with C n×n and A k×n. The contents of the lower triangle are then
// undefined. A is packed once.
func syrk[T float32 | float64](g *kernels[T], n, k int, alpha float64, a []T, lda int, c []float64, ldc int) {
	if n == 0 || k == 0 || alpha == 0 {
		return
	}
	runPipeline(triangle(g, n, k, alpha, a, lda, c, ldc), false)
}

// triangle returns the pipeline that syrk runs.
func triangle[T float32 | float64](g *kernels[T], n, k int, alpha float64, a []T, lda int, c []float64,
	ldc int) *pipeline[T] {
	x := view[T]{data: a, ld: lda, n: n}
	return &pipeline[T]{
		kernels: g, target: target{alpha: alpha, c: c, ldc: ldc, m: n, n: n, upper: true},
		k: k, a: x, b: x, r1: n, c1: n,
	}
}
