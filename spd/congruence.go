package spd

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/par"
)

// Congruence returns W'XW for every matrix X of x. The results are exactly symmetric. If the columns of w are spatial
// filters, Congruence converts covariances of channels to covariances of filtered signals. It panics with mat.ErrShape
// if the number of rows of w is not the order of the matrices.
func Congruence(x *Stack, w mat.Matrix) *Stack {
	n, m := w.Dims()
	if x == nil || x.Dim != n {
		panic(mat.ErrShape)
	}
	out := NewStack(x.Count, m)
	par.For(x.Count, 16, func(_, lo, hi int) {
		var xw, y mat.Dense
		for k := lo; k < hi; k++ {
			xw.Mul(mat.NewDense(n, n, x.At(k)), w)
			y.Mul(w.T(), &xw)
			dst := out.At(k)
			for i := range m {
				for j := range m {
					dst[i*m+j] = (y.At(i, j) + y.At(j, i)) / 2
				}
			}
		}
	})
	return out
}
