package sqfa

// The matrices of the line search have one row per filter. With 2, 4, 6 and 8 filters, two products took 0.06, 0.2, 0.5
// and 0.85 times as long by these loops as by dense.Gemm, and about as long with 10 and 12.

// multiply writes A B for n×n matrices.
func multiply(dst, a, b []float64, n int) {
	clear(dst)
	for i := range n {
		out := dst[i*n : (i+1)*n]
		for h, v := range a[i*n : (i+1)*n] {
			if v == 0 {
				continue
			}
			for j, w := range b[h*n : (h+1)*n] {
				out[j] += v * w
			}
		}
	}
}

// multiplyLeftT writes A'B for n×n matrices.
func multiplyLeftT(dst, a, b []float64, n int) {
	clear(dst)
	for r := range n {
		rb := b[r*n : (r+1)*n]
		for i, v := range a[r*n : (r+1)*n] {
			out := dst[i*n : (i+1)*n]
			for j, w := range rb {
				out[j] += v * w
			}
		}
	}
}
