package spd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao/internal/par"
)

// Congruence writes W'XW to dst for every matrix X of x. The results are exactly symmetric. If the columns of w are
// spatial filters, Congruence converts covariances of channels to covariances of filtered signals. An empty dst is
// resized; another shape panics with mat.ErrShape, as does w if its number of rows is not the order of the matrices.
func Congruence(dst, x *Stack, w mat.Matrix) {
	n, m := w.Dims()
	if x == nil || x.Dim != n {
		panic(mat.ErrShape)
	}
	dst.fit(x.Count, m)
	c := congruence{dst: dst, x: x, straight: blas.NoTrans, transposed: blas.Trans}
	if d, ok := w.(*mat.Dense); ok {
		c.w = d.RawMatrix()
	} else if d, ok := w.T().(*mat.Dense); ok {
		c.w, c.straight, c.transposed = d.RawMatrix(), blas.Trans, blas.NoTrans
	} else {
		c.w = mat.DenseCopyOf(w).RawMatrix()
	}
	par.ForWith(x.Count, 16, c, congruence.apply)
}

// congruence contains the variables of [Congruence].
type congruence struct {
	dst, x               *Stack
	w                    blas64.General
	straight, transposed blas.Transpose // of w, for W and W'
}

func (c congruence) apply(_, lo, hi int) {
	n, m := c.x.Dim, c.dst.Dim
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	xw := blas64.General{Rows: n, Cols: m, Stride: m, Data: s.buf(0, n*m)}
	y := blas64.General{Rows: m, Cols: m, Stride: m, Data: s.buf(1, m*m)}
	for k := lo; k < hi; k++ {
		x := blas64.General{Rows: n, Cols: n, Stride: n, Data: c.x.At(k)}
		blas64.Gemm(blas.NoTrans, c.straight, 1, x, c.w, 0, xw)
		blas64.Gemm(c.transposed, blas.NoTrans, 1, c.w, xw, 0, y)
		dst := c.dst.At(k)
		for i := range m {
			for j := range m {
				dst[i*m+j] = (y.Data[i*m+j] + y.Data[j*m+i]) / 2
			}
		}
	}
}
