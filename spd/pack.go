package spd

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// packed is the number of values of a symmetric matrix of order n.
func packed(n int) int { return n * (n + 1) / 2 }

// Pack writes the upper triangle of a symmetric matrix to dst, row by row, n(n+1)/2
// values, off-diagonal ones times √2: the Euclidean norm of the vector is
// the Frobenius norm of the matrix (Tuzel, Porikli and Meer 2008). This is the
// order of pyRiemann's tangent vectors. It panics with mat.ErrShape for another length of dst.
func Pack(dst []float64, a mat.Symmetric) {
	n := a.SymmetricDim()
	if len(dst) != packed(n) {
		panic(mat.ErrShape)
	}
	vec.Pack(dst, full(a), n)
}

// Unpack writes the matrix whose vector is v, the inverse of [Pack]. An empty dst is resized; it
// panics with mat.ErrShape if the order of dst or the length of v does not fit.
func Unpack(dst *mat.SymDense, v []float64) {
	n := 0
	for packed(n) < len(v) {
		n++
	}
	if packed(n) != len(v) {
		panic(mat.ErrShape)
	}
	a := make([]float64, n*n)
	vec.Unpack(a, v, n)
	setSym(dst, a, n)
}

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
