// Package orth orthonormalizes the columns of matrices.
package orth

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// Subtract removes from v its components along the orthonormal rows of basis, twice, so the inner products are zero up
// to rounding.
func Subtract(v, basis []float64) {
	for range 2 {
		for b := basis; len(b) > 0; b = b[len(v):] {
			vec.Axpy(v, -vec.Dot(b[:len(v)], v), b[:len(v)])
		}
	}
}

// Columns overwrites the start of x, n×k, with an orthonormal basis of the span of its columns, n×kept, and returns
// kept, no more than most. It uses the Gram-Schmidt process and does every projection twice, so the inner products of
// the columns are zero up to rounding.
//
// If at most the fraction drop of a column is outside the span of the columns before it, or if the column is not
// finite, Columns calls again with its index and the column. again returns true if it wrote a replacement to column,
// and false to leave the column out. If again is nil, Columns leaves the column out.
func Columns(x []float64, n, k, most int, drop float64, again func(j int, column []float64) bool) int {
	rows := make([]float64, k*n) // one row for every column of x
	vec.Transpose(rows, x, n, k)
	kept := 0
	for j := 0; j < k && kept < most; j++ {
		for c := rows[j*n : (j+1)*n]; ; {
			Subtract(c, rows[:kept*n])
			if norm := vec.Norm(c); norm > drop && norm <= math.MaxFloat64 {
				for i, v := range c {
					rows[kept*n+i] = v / norm
				}
				kept++
				break
			}
			if again == nil || !again(j, c) {
				break
			}
		}
	}
	vec.Transpose(x[:n*kept], rows, kept, n)
	return kept
}

// Range returns an orthonormal basis of the columns of x: the first left singular vectors, up to the given number, with
// singular values above tolerance times the largest. basis is nil if there are no such singular values. ok is false if
// the singular value decomposition of x fails, for example because x is not finite.
func Range(x *mat.Dense, most int, tolerance float64) (basis *mat.Dense, ok bool) {
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThinU) {
		return nil, false
	}
	values, rank := svd.Values(nil), 0
	for rank < min(most, len(values)) && values[rank] > tolerance*values[0] {
		rank++
	}
	if rank == 0 {
		return nil, true
	}
	var u mat.Dense
	svd.UTo(&u)
	rows, _ := x.Dims()
	return mat.DenseCopyOf(u.Slice(0, rows, 0, rank)), true
}
