package sqfa

// innerProduct writes A'B (ka×kb) for row-major A (rows×ka) and B (rows×kb).
func innerProduct(dst, a []float64, ka int, b []float64, kb, rows int) {
	clear(dst[:ka*kb])
	for r := range rows {
		rb := b[r*kb : (r+1)*kb]
		for i, v := range a[r*ka : (r+1)*ka] {
			out := dst[i*kb : (i+1)*kb]
			for j, w := range rb {
				out[j] += v * w
			}
		}
	}
}

// rowTimes writes x'B for a vector x and B (len(x)×k).
func rowTimes(dst, x, b []float64, k int) {
	clear(dst)
	for r, v := range x {
		for j, w := range b[r*k : (r+1)*k] {
			dst[j] += v * w
		}
	}
}

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
func multiplyLeftT(dst, a, b []float64, n int) { innerProduct(dst, a, n, b, n, n) }
