package rowhash

import (
	"unsafe"

	"rao/internal/linalg/cpu"
)

//go:generate go run ./gen

var haveKernels = cpu.Use() >= cpu.AVX512

const (
	together = 24 // rows that a kernel hashes
	fewest   = 8  // values of a row that it takes
)

// kernels is Rows, unless it returns false. Where the last rows do not fill a kernel, it hashes
// those before once more.
func kernels[T Value](dst []uint64, x []T, stride, dim int) bool {
	if !haveKernels || dim < fewest || len(dst) < together {
		return false
	}
	var space [fewest*together + 7]uint64 // the columns of floats, at a multiple of 64 bytes
	first := firstHash(dim)
	for done := 0; done < len(dst); done += together {
		i := min(done, len(dst)-together)
		kernel(dim, &x[i*stride], stride, first, &space[0], &dst[i])
	}
	return true
}

func kernel[T Value](dim int, x *T, stride int, first uint64, space, hashes *uint64) {
	stride *= int(unsafe.Sizeof(*x))
	switch x := any(x).(type) {
	case *byte:
		bytesAVX512(dim, x, stride, first, space, hashes)
	case *float32:
		float32sAVX512(dim, x, stride, first, space, hashes)
	case *float64:
		float64sAVX512(dim, x, stride, first, space, hashes)
	}
}

//go:noescape
func bytesAVX512(dim int, x *byte, stride int, first uint64, space, hashes *uint64)

//go:noescape
func float32sAVX512(dim int, x *float32, stride int, first uint64, space, hashes *uint64)

//go:noescape
func float64sAVX512(dim int, x *float64, stride int, first uint64, space, hashes *uint64)
