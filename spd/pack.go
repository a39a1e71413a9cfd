package spd

// packed is the number of values of a symmetric matrix of order n as package vec packs it: the upper
// triangle row by row, off-diagonal ones times √2, so that the Euclidean norm of the vector is the
// Frobenius norm of the matrix (Tuzel, Porikli and Meer 2008), in the order of pyRiemann's tangent
// vectors.
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
