package spd

// packed returns the number of values of a symmetric matrix of order n in the form of package vec: the upper triangle
// row by row, with off-diagonal values multiplied by √2. The Euclidean norm of the vector is then the Frobenius norm
// of the matrix (Tuzel, Porikli and Meer 2008). pyRiemann's tangent vectors have the same order.
func packed(n int) int { return n * (n + 1) / 2 }

func packLower(dst, l []float64, n int) {
	p := 0
	for i := range n {
		p += copy(dst[p:], l[i*n:i*n+i+1])
	}
}

func unpackLower(l, v []float64, n int) {
	clear(l[:n*n])
	for i := range n {
		v = v[copy(l[i*n:i*n+i+1], v):]
	}
}
