package dense

import "rao/internal/par"

// check panics unless a slice of the given length holds a rows×cols matrix with
// leading dimension ld.
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

// Gemm computes C = alpha op(A) op(B) + beta C with op(A) m×k, op(B) k×n and C
// m×n; op(X) is X', when trans is set. With beta = 0 C is not read.
func Gemm(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if transA {
		check("A", len(a), k, m, lda)
	} else {
		check("A", len(a), m, k, lda)
	}
	if transB {
		check("B", len(b), n, k, ldb)
	} else {
		check("B", len(b), k, n, ldb)
	}
	check("C", len(c), m, n, ldc)
	par.For(m, 8, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := c[i*ldc : i*ldc+n]
			scale(row, beta)
			for p := range k {
				var x float64
				if transA {
					x = alpha * a[p*lda+i]
				} else {
					x = alpha * a[i*lda+p]
				}
				if transB {
					for j := range row {
						row[j] += x * b[j*ldb+p]
					}
					continue
				}
				for j, v := range b[p*ldb : p*ldb+n] {
					row[j] += x * v
				}
			}
		}
	})
}

// scale multiplies x by beta; beta = 0 clears x whatever it holds.
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

// Syrk computes C = alpha A'A + beta C with A k×n and C n×n. Both triangles of C
// are written; with beta ≠ 0 only the upper one is read. With beta = 0 C is not
// read.
func Syrk(n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	check("C", len(c), n, n, ldc)
	for i := range n {
		scale(c[i*ldc+i:i*ldc+n], beta)
	}
	syrk(n, k, alpha, a, lda, c, ldc)
	Mirror(n, c, ldc)
}

// Syrk32 computes C += A'A with A k×n in float32 and C n×n in float64. Products
// are summed in float32 over at most 256 rows and these sums in float64, so that
// integers up to 255 give exact results. Both triangles of C are written and the
// upper one is read.
func Syrk32(n, k int, a []float32, lda int, c []float64, ldc int) {
	syrk(n, k, 1, a, lda, c, ldc)
	Mirror(n, c, ldc)
}

// SyrkUpper is C += A'A on the upper triangle alone; the lower one is neither
// read nor written. [Mirror] completes a matrix after the last of many updates.
func SyrkUpper(n, k int, a []float64, lda int, c []float64, ldc int) {
	syrk(n, k, 1, a, lda, c, ldc)
}

// SyrkUpper32 is [Syrk32] on the upper triangle alone.
func SyrkUpper32(n, k int, a []float32, lda int, c []float64, ldc int) {
	syrk(n, k, 1, a, lda, c, ldc)
}

func syrk[T float32 | float64](n, k int, alpha float64, a []T, lda int, c []float64, ldc int) {
	check("A", len(a), k, n, lda)
	check("C", len(c), n, n, ldc)
	par.For(n, 8, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := c[i*ldc+i : i*ldc+n]
			for p := range k {
				x := alpha * float64(a[p*lda+i])
				for j, v := range a[p*lda+i : p*lda+n] {
					row[j] += x * float64(v)
				}
			}
		}
	})
}

// Mirror copies the upper triangle of C to the lower one.
func Mirror(n int, c []float64, ldc int) {
	for i := range n {
		for j := i + 1; j < n; j++ {
			c[j*ldc+i] = c[i*ldc+j]
		}
	}
}
