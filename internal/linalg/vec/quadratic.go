package vec

// Quadratic writes the products z_a z_b with a ≤ b, row by row, followed by z. A quadratic function of z is an inner
// product with these values. dst has at least n(n+1)/2 + n values, where n is the length of z.
func Quadratic[T float32 | float64](dst, z []T) {
	at := 0
	for a, v := range z {
		for _, w := range z[a:] {
			dst[at] = v * w
			at++
		}
	}
	copy(dst[at:], z)
}

// HalfSquares writes to dst, for each column x of X, offset - ½‖L x‖², the logarithm of a Gaussian density. L is
// n×(n+1), a column followed by a lower triangle: row j has j+2 values and then zeros. factor omits the zeros. X is
// row-major with leading dimension ldx, n+1 rows and len(dst) columns. If len(dst) is a multiple of 8, the result for a
// column has the same bits at any position.
func HalfSquares(dst []float64, n int, offset float64, factor, x []float64, ldx int) {
	if n == 0 || len(dst) == 0 {
		return
	}
	factor, x = factor[:n*(n+3)/2], x[:n*ldx+len(dst)]
	whole := 0
	if haveKernels && len(dst) >= 8 {
		whole = len(dst) &^ 7
		halfSquares(whole, n+2, 8*ldx, offset, &factor[0], &x[0], &dst[0])
	}
	for r := whole; r < len(dst); r++ {
		f, squares := factor, 0.0
		for j := range n {
			sum := 0.0
			for k, v := range f[:j+2] {
				sum += v * x[k*ldx+r]
			}
			squares += sum * sum
			f = f[j+2:]
		}
		dst[r] = offset - squares/2
	}
}
