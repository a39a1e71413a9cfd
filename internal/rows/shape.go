package rows

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// Shape resizes an empty dst to r×c. It panics with mat.ErrShape if dst has another shape.
func Shape(dst *mat.Dense, r, c int) {
	if dst.IsEmpty() {
		if r > 0 {
			dst.ReuseAs(r, c)
		}
		return
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(mat.ErrShape)
	}
}

// Reshape makes dst an r×c matrix of arbitrary values, in new memory if its own is too small, and returns dst.
func Reshape(dst *mat.Dense, r, c int) *mat.Dense {
	data := dst.RawMatrix().Data
	dst.SetRawMatrix(blas64.General{Rows: r, Cols: c, Stride: c, Data: vec.Room(&data, r*c)})
	return dst
}
