// Package orth makes columns orthonormal.
package orth

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// Columns overwrites the first columns of x, n×k, by an orthonormal basis of what they span, n×kept at the start of
// x, and returns how many columns that are: at most the given number. It is Gram-Schmidt with every projection done
// twice, so the products of columns are zero to rounding.
//
// A column of which no more than drop is left outside those before it, or which is not finite, is given to again with
// its number. Again returns true where it wrote another one, and false to leave the column out; nil leaves all out.
func Columns(x []float64, n, k, most int, drop float64, again func(j int, column []float64) bool) int {
	rows := make([]float64, k*n) // a row for every column of x
	vec.Transpose(rows, x, n, k)
	kept := 0
	for j := 0; j < k && kept < most; j++ {
		for c := rows[j*n : (j+1)*n]; ; {
			for range 2 {
				for h := range kept {
					b := rows[h*n : (h+1)*n]
					vec.Axpy(c, -vec.Dot(b, c), b)
				}
			}
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

// Range returns an orthonormal basis of the columns of x: the left singular vectors whose singular values exceed
// tolerance times the largest, at most most of them. It is nil if there are none, and not ok if x has no singular
// value decomposition, as when it is not finite.
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
