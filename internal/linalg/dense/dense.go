package dense

import (
	"rao/internal/linalg/cpu"
	"rao/internal/par"
)

// check panics if a slice of the given length cannot hold a rows×cols matrix with leading dimension ld.
func check(name string, length, rows, cols, ld int) {
	if rows < 0 || cols < 0 {
		panic("dense: negative size of " + name)
	}
	if rows == 0 || cols == 0 {
		return
	}
	if ld < cols {
		panic("dense: leading dimension of " + name + " below its columns")
	}
	if length < (rows-1)*ld+cols {
		panic("dense: " + name + " is too short")
	}
}

// checkOp panics if a slice of the given length cannot hold a matrix X with rows×cols op(X) and leading dimension ld.
func checkOp(name string, length, rows, cols, ld int, trans bool) {
	if trans {
		rows, cols = cols, rows
	}
	check(name, length, rows, cols, ld)
}

// Gemm computes C = alpha op(A) op(B) + beta C, with op(A) m×k, op(B) k×n and C m×n. op(X) is X' if the flag is set,
// otherwise X. With beta = 0, C is not read.
func Gemm(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	gemmOn(cpu.Use(), transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func gemmOn(path cpu.Path, transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	checkOp("A", len(a), m, k, lda, transA)
	checkOp("B", len(b), k, n, ldb, transB)
	check("C", len(c), m, n, ldc)
	for i := range m {
		scale(c[i*ldc:i*ldc+n], beta)
	}
	if !transA && 0 < n && n <= skinnyColumns && k > 0 && alpha != 0 {
		p := newProjection(path, k, n, alpha, b, ldb, transB)
		p.add = beta != 0
		defer giveBack(p.memory)
		blocks := par.Chunks(m, p.kernel.rows)
		if blocks == 1 { // without a closure, because a single prediction multiplies one row
			p.block(0, m, a, lda, c, ldc, 0)
			return
		}
		par.For(blocks, p.skinnyGrain(), func(worker, lo, hi int) {
			for i := lo; i < hi; i++ {
				p.block(i, m, a, lda, c, ldc, worker)
			}
		})
		return
	}
	gemm(kernels64(path), k, alpha,
		view[float64]{a, lda, !transA, m}, view[float64]{b, ldb, transB, n}, c, ldc)
}

// skinnyColumns is the largest number of columns for which a product reads A in place instead of packing it.
const skinnyColumns = 24

// scale multiplies x by beta. With beta = 0 it clears x, even if x contains values that are not finite.
func scale(x []float64, beta float64) {
	switch beta {
	case 0:
		clear(x)
	case 1:
	default:
		for i := range x {
			x[i] *= beta
		}
	}
}

// Gemm32 computes C += op(A) op(B) for A and B in float32 and C in float64. At most 256 products are summed in float32;
// their sums are added in float64.
func Gemm32(transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float64, ldc int) {
	gemm32On(cpu.Use(), transA, transB, m, n, k, a, lda, b, ldb, c, ldc)
}

func gemm32On(path cpu.Path, transA, transB bool, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float64,
	ldc int) {
	checkOp("A", len(a), m, k, lda, transA)
	checkOp("B", len(b), k, n, ldb, transB)
	check("C", len(c), m, n, ldc)
	gemm(kernels32(path), k, 1,
		view[float32]{a, lda, !transA, m}, view[float32]{b, ldb, transB, n}, c, ldc)
}

// Syrk computes C = alpha A'A + beta C, with A k×n and C n×n. It writes both triangles of C. It reads only the upper
// triangle, or none if beta is 0.
func Syrk(n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	syrkOn(cpu.Use(), n, k, alpha, a, lda, beta, c, ldc)
}

func syrkOn(path cpu.Path, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	check("A", len(a), k, n, lda)
	check("C", len(c), n, n, ldc)
	for i := range n {
		scale(c[i*ldc+i:i*ldc+n], beta)
	}
	syrk(kernels64(path), n, k, alpha, a, lda, c, ldc)
	Mirror(n, c, ldc)
}

// Scatter computes C = A'A on the calling goroutine, with the same bits as [Syrk]. Use it for products that already run
// in parallel, and in code that must not wait for other goroutines.
func Scatter(n, k int, a []float64, lda int, c []float64, ldc int) {
	check("A", len(a), k, n, lda)
	check("C", len(c), n, n, ldc)
	for i := range n {
		clear(c[i*ldc+i : i*ldc+n])
	}
	if n > 0 && k > 0 {
		runPipeline(triangle(kernels64(cpu.Use()), n, k, 1, a, lda, c, ldc), true)
	}
	Mirror(n, c, ldc)
}

// Syrk32 computes C += A'A, with A k×n in float32 and C n×n in float64. Products of at most 256 rows are summed in
// float32 and their sums added in float64, so integers up to 255 give exact results. It reads the upper triangle of C
// and writes both.
func Syrk32(n, k int, a []float32, lda int, c []float64, ldc int) {
	SyrkUpper32(n, k, a, lda, c, ldc)
	Mirror(n, c, ldc)
}

// SyrkUpper computes only the upper triangle of C += A'A. The contents of the lower triangle are then undefined; call
// [Mirror] after the last of many updates to complete the matrix.
func SyrkUpper(n, k int, a []float64, lda int, c []float64, ldc int) {
	check("A", len(a), k, n, lda)
	check("C", len(c), n, n, ldc)
	syrk(kernels64(cpu.Use()), n, k, 1, a, lda, c, ldc)
}

// SyrkUpper32 is [Syrk32] restricted to the upper triangle, like [SyrkUpper].
func SyrkUpper32(n, k int, a []float32, lda int, c []float64, ldc int) {
	check("A", len(a), k, n, lda)
	check("C", len(c), n, n, ldc)
	syrk(kernels32(cpu.Use()), n, k, 1, a, lda, c, ldc)
}

// mirrorBlock is the side of the squares that Mirror transposes at a time. Up to order smallMirror, Mirror uses one
// goroutine.
const (
	mirrorBlock = 32
	smallMirror = 256
)

// Mirror copies the upper triangle of C to the lower one.
func Mirror(n int, c []float64, ldc int) {
	check("C", len(c), n, n, ldc)
	if n <= smallMirror {
		mirrorRows(c, ldc, 0, n)
		return
	}
	par.For(n, mirrorBlock, func(_, lo, hi int) { mirrorRows(c, ldc, lo, hi) })
}

// Mirrored reports whether the n×n matrix a is symmetric: equal values above and below the diagonal.
func Mirrored(n int, a []float64) bool {
	const block = 16 // cache lines in use at a time
	for i0 := 0; i0 < n; i0 += block {
		for j0 := 0; j0 <= i0; j0 += block {
			for i := i0; i < min(i0+block, n); i++ {
				row := a[i*n : i*n+min(i, j0+block)]
				for j := j0; j < len(row); j++ {
					if row[j] != a[j*n+i] {
						return false
					}
				}
			}
		}
	}
	return true
}

// mirrorRows copies the upper triangle to the lower triangle in rows lo to hi-1.
func mirrorRows(c []float64, ldc, lo, hi int) {
	for j0 := 0; j0 < hi; j0 += mirrorBlock {
		for i := max(lo, j0); i < hi; i++ {
			row := c[i*ldc : i*ldc+i]
			for j := j0; j < min(j0+mirrorBlock, i); j++ {
				row[j] = c[j*ldc+i]
			}
		}
	}
}
