package vec

import "math"

// PackedLen returns the number of values in the upper triangle of an n×n matrix.
func PackedLen(n int) int { return n * (n + 1) / 2 }

// Pack writes the upper triangle of the symmetric n×n matrix a to dst, row by row: n(n+1)/2 values, with off-diagonal
// values multiplied by √2. The Euclidean norm of the vector is then the Frobenius norm of the matrix (Tuzel, Porikli
// and Meer 2008). pyRiemann's tangent vectors have the same order.
func Pack(dst, a []float64, n int) {
	p := 0
	for i := range n {
		dst[p] = a[i*n+i]
		p++
		for _, v := range a[i*n+i+1 : (i+1)*n] {
			dst[p] = math.Sqrt2 * v
			p++
		}
	}
}

// Unpack is the inverse of Pack.
func Unpack(a, v []float64, n int) {
	p := 0
	for i := range n {
		a[i*n+i] = v[p]
		p++
		for j := i + 1; j < n; j++ {
			a[i*n+j] = v[p] / math.Sqrt2
			a[j*n+i] = a[i*n+j]
			p++
		}
	}
}
