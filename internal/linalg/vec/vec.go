// Package vec contains a few operations on vectors and matrices that many packages need. They are written for inner
// loops: sums use several independent accumulators, so the processor can overlap additions. The order of a sum depends
// only on its length, so the bits do not depend on the number of goroutines. Long vectors use AVX2, AVX-512 or NEON if
// the processor supports it. For larger products see internal/linalg/dense; for small matrices see
// internal/linalg/small.
package vec

import "math"

//go:generate go run ./gen

// shortest is the length from which the vector kernels are faster than a loop.
const shortest = 16

// Dot returns the inner product of a and b, which must be at least as long as a.
func Dot(a, b []float64) float64 {
	b = b[:len(a)]
	if len(a) >= shortest && haveKernels {
		return dotKernel(a, b)
	}
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// Identity returns the identity matrix of order n, row by row.
func Identity(n int) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = 1
	}
	return a
}

// Room sets the length of s to n and returns s, in new memory if its capacity is too small. The values are arbitrary.
func Room[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	return *s
}

// SquaredDistance returns ‖a − b‖²; b must be at least as long as a. It sums squares of differences, so close vectors
// keep their digits.
func SquaredDistance(a, b []float64) float64 {
	b = b[:len(a)]
	if len(a) >= shortest && haveKernels {
		return distanceKernel(a, b)
	}
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		d0, d1, d2, d3 := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
	}
	for ; i < len(a); i++ {
		d := a[i] - b[i]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy adds alpha x to y; x must be at least as long as y.
func Axpy(y []float64, alpha float64, x []float64) {
	x = x[:len(y)]
	i := 0
	if len(y) >= shortest && haveKernels {
		i = len(y) &^ 7
		axpyEights(i, alpha, &x[0], &y[0])
	}
	for ; i+4 <= len(y); i += 4 {
		a, b := y[i:i+4:i+4], x[i:i+4:i+4]
		a[0] += alpha * b[0]
		a[1] += alpha * b[1]
		a[2] += alpha * b[2]
		a[3] += alpha * b[3]
	}
	for ; i < len(y); i++ {
		y[i] += alpha * x[i]
	}
}

// Trace returns the sum of the diagonal of the n×n matrix a.
func Trace(a []float64, n int) float64 {
	trace := 0.0
	for i := range n {
		trace += a[i*n+i]
	}
	return trace
}

// MaxAbs returns the largest magnitude of x, which is NaN if any value is NaN.
func MaxAbs(x []float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// Norm returns the Euclidean norm. It does not guard against overflow.
func Norm(x []float64) float64 { return math.Sqrt(Dot(x, x)) }

// Submatrix writes the rows and columns of an n×n matrix with the given indices, in their order.
func Submatrix(dst, a []float64, n int, index []int) {
	for p, i := range index {
		for q, j := range index {
			dst[p*len(index)+q] = a[i*n+j]
		}
	}
}

// Transpose writes the transpose of x, rows×cols, to dst.
func Transpose(dst, x []float64, rows, cols int) {
	for r := range rows {
		for c, v := range x[r*cols : (r+1)*cols] {
			dst[c*rows+r] = v
		}
	}
}

// Asymmetry finds the entry below the diagonal of an n×n matrix that differs most from its mirror image. It returns the
// difference, the position of the entry, and the largest magnitude of the matrix. The difference is infinite if only
// one of the two is NaN or infinite, and zero if both are equal or NaN. Values that are not finite count as the
// smallest magnitude above zero.
func Asymmetry(a []float64, n int) (diff float64, row, col int, largest float64) {
	magnitude := func(x float64) float64 {
		if !Finite(x) {
			return math.SmallestNonzeroFloat64
		}
		return math.Abs(x)
	}
	for i := range n {
		for j := range i + 1 {
			u, v := a[i*n+j], a[j*n+i]
			d := math.Abs(u - v)
			switch {
			case u == v || math.IsNaN(u) && math.IsNaN(v):
				d = 0
			case math.IsNaN(d):
				d = math.Inf(1)
			}
			if d > diff {
				diff, row, col = d, i, j
			}
			largest = max(largest, magnitude(u), magnitude(v))
		}
	}
	return diff, row, col, largest
}

// SymmetrizeAll applies [Symmetrize] to count n×n matrices stored one after the other.
func SymmetrizeAll(a []float64, n, count int) {
	for k := range count {
		Symmetrize(a[k*n*n:(k+1)*n*n], n)
	}
}

// Symmetrize replaces an n×n matrix by the mean of the matrix and its transpose. It does not overflow.
func Symmetrize(a []float64, n int) {
	for i := range n {
		for j := range i {
			m := a[i*n+j]/2 + a[j*n+i]/2
			a[i*n+j], a[j*n+i] = m, m
		}
	}
}
