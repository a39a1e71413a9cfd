package ritz

import (
	"fmt"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
)

// Relative returns the k leading solutions of B x = λ W x for a symmetric B and a symmetric positive definite W, both
// n×n. The solutions are the columns of an n×k matrix, with unit norm, in order of decreasing λ. Both input matrices
// are overwritten. If W is not positive definite, the error names the column at which its Cholesky factorization
// failed.
func Relative(b, w []float64, n, k int) ([]float64, error) {
	if column, _, ok := tri.Cholesky(n, w, 0); !ok {
		return nil, fmt.Errorf("the matrix is not positive definite: its Cholesky factorization fails at column %d",
			column)
	}
	tri.SolveLower(n, n, w, n, b, n, false) // L⁻¹ B, and then the same from the right
	turned := make([]float64, n*n)
	for i := range n {
		for j, x := range b[i*n : (i+1)*n] {
			turned[j*n+i] = x
		}
	}
	tri.SolveLower(n, n, w, n, turned, n, false)
	dense.Mirror(n, turned, n)
	x, _, err := Leading(turned, n, k)
	if err != nil {
		return nil, err
	}
	tri.SolveLower(n, k, w, n, x, k, true)
	vec.NormalizeColumns(x, k)
	return x, nil
}
