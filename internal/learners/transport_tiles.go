package learners

import (
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// A plan is processed in chunks of rows, each a task of one worker. Chunks are divided into tiles that fit in the
// cache.
const (
	transportChunk = 128
	transportTile  = 512
)

// norms sets dst to the squared norms of the rows of x, which have m values each.
func norms(dst, x []float64, m int) {
	for i := range dst {
		dst[i] = vec.Dot(x[i*m:(i+1)*m], x[i*m:(i+1)*m])
	}
}

func scaled(factor float64, x []float64) []float64 {
	y := make([]float64, len(x))
	vec.Axpy(y, factor, x)
	return y
}

// factors prepares tiles with the values x_i + y_j - s C_ij. Because C_ij = ‖a_i‖² + ‖b_j‖² - 2 a_i·b_j, these values
// are the product of an n₁×(m+2) matrix and an (m+2)×n₂ matrix.
func (p *problem) factors(s float64, x, y []float64) {
	vec.Room(&p.left, p.n1*(p.m+2))
	vec.Room(&p.right, p.n2*(p.m+2))
	leftFactors(p.left, s, p.a, p.na[:p.n1], x)
	rightFactors(p.right, s, p.b, p.nb[:p.n2], y)
}

// leftFactors sets dst to the left factor, n₁×(m+2). n contains the squared norms of the points a.
func leftFactors(dst []float64, s float64, a, n, x []float64) {
	m := len(a) / len(n)
	for i, norm := range n {
		row := dst[i*(m+2) : (i+1)*(m+2)]
		for h, v := range a[i*m : (i+1)*m] {
			row[h] = 2 * s * v
		}
		row[m], row[m+1] = x[i]-s*norm, 1
	}
}

// rightFactors sets dst to the right factor, n₂×(m+2). n contains the squared norms of the points b.
func rightFactors(dst []float64, s float64, b, n, y []float64) {
	m := len(b) / len(n)
	for j, norm := range n {
		row := dst[j*(m+2) : (j+1)*(m+2)]
		copy(row, b[j*m:(j+1)*m])
		row[m], row[m+1] = 1, y[j]-s*norm
	}
}

// tile is the block of a matrix with the rows [lo,hi) and the columns [from,to).
type tile struct {
	chunk, lo, hi, from, to int
	c                       []float64 // the values, row by row
}

func (t *tile) row(i int) []float64 {
	width := t.to - t.from
	return t.c[(i-t.lo)*width : (i-t.lo+1)*width]
}

// tiles calls body with all tiles of the prepared values.
func (p *problem) tiles(body func(t tile)) { p.tilesOf(p.n1, p.n2, body) }

// tilesOf calls body with the tiles of an n₁×n₂ matrix that is the product of p.left and p.right. Within a chunk, tiles
// are processed from left to right. body must not retain the values.
func (p *problem) tilesOf(n1, n2 int, body func(t tile)) {
	m := p.m + 2
	par.For(n1, transportChunk, func(worker, lo, hi int) {
		for from := 0; from < n2; from += transportTile {
			t := tile{chunk: lo / transportChunk, lo: lo, hi: hi, from: from, to: min(from+transportTile, n2)}
			width := t.to - from
			t.c = p.c[worker*transportChunk*transportTile:][:(hi-lo)*width]
			dense.Gemm(false, true, hi-lo, width, m, 1, p.left[lo*m:], m, p.right[from*m:], m, 0, t.c, width)
			body(t)
		}
	})
}
