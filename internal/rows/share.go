package rows

import (
	"unsafe"

	"gonum.org/v1/gonum/mat"
)

// Share reports whether dst shares memory with x or, if x is a transpose, with the transposed matrix. Writing to dst
// would then change x.
func Share(dst *mat.Dense, x mat.Matrix) bool {
	for {
		t, ok := x.(mat.Untransposer)
		if !ok {
			break
		}
		x = t.Untranspose()
	}
	return overlap(dst.RawMatrix().Data, valuesOf(x))
}

// valuesOf returns the float64 values of a matrix, or nil if it does not store float64 values.
func valuesOf(x mat.Matrix) []float64 {
	switch x := x.(type) {
	case mat.RawSymmetricer:
		return x.RawSymmetric().Data
	case mat.RawTriangular:
		return x.RawTriangular().Data
	case mat.RawVectorer:
		return x.RawVector().Data
	}
	return Of(x).F64
}

// overlap reports whether two slices have an element in common.
func overlap(a, b []float64) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	first := func(v []float64) uintptr { return uintptr(unsafe.Pointer(&v[0])) }
	last := func(v []float64) uintptr { return uintptr(unsafe.Pointer(&v[len(v)-1])) }
	return first(a) <= last(b) && first(b) <= last(a)
}
