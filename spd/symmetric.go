package spd

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/dense"
)

// full returns a copy of the values of a, both triangles, row by row, or nil if a is nil.
func full(a mat.Symmetric) []float64 {
	if s, ok := a.(*mat.SymDense); a == nil || ok && s == nil {
		return nil
	}
	n := a.SymmetricDim()
	out := make([]float64, n*n)
	fill(out, a)
	return out
}

// fill writes both triangles of a, row-major, to out.
func fill(out []float64, a mat.Symmetric) {
	n := a.SymmetricDim()
	s, stored := a.(*mat.SymDense)
	for i := range n {
		if stored {
			raw := s.RawSymmetric()
			copy(out[i*n+i:(i+1)*n], raw.Data[i*raw.Stride+i:])
			continue
		}
		for j := i; j < n; j++ {
			out[i*n+j] = a.At(i, j)
		}
	}
	dense.Mirror(n, out, n)
}

// symmetric wraps full values, with both triangles filled in.
func symmetric(n int, a []float64) *mat.SymDense {
	if a == nil {
		return nil
	}
	return mat.NewSymDense(n, a)
}

// setSym copies full values to dst. An empty dst is resized; another order panics with mat.ErrShape.
func setSym(dst *mat.SymDense, a []float64, n int) {
	if dst.IsEmpty() {
		dst.ReuseAsSym(n)
	} else if dst.SymmetricDim() != n {
		panic(mat.ErrShape)
	}
	raw := dst.RawSymmetric()
	for i := range n {
		copy(raw.Data[i*raw.Stride:i*raw.Stride+n], a[i*n:(i+1)*n])
	}
}
