package dense

import (
	"unsafe"

	"rao/internal/cpu"
)

//go:generate go run ./gen

// kernels64 returns the double precision kernels of a path.
func kernels64(path cpu.Path) *kernels[float64] {
	switch path {
	case cpu.AVX512:
		return &kernels[float64]{rows: 8, cols: 24, lane: 8, depth: 256, pack: packDouble(packAVX512),
			tile: []tileKernel[float64]{tile64x1AVX512, tile64x2AVX512, tile64x3AVX512}}
	case cpu.AVX2:
		return &kernels[float64]{rows: 4, cols: 12, lane: 4, depth: 256, pack: packDouble(packAVX2),
			tile: []tileKernel[float64]{tile64x1AVX2, tile64x2AVX2, tile64x3AVX2}}
	}
	return portable64
}

// kernels32 returns the single precision kernels of a path.
func kernels32(path cpu.Path) *kernels[float32] {
	switch path {
	case cpu.AVX512:
		return &kernels[float32]{rows: 8, cols: 48, lane: 16, depth: exactDepth, pack: packSingle(packAVX512),
			tile: []tileKernel[float32]{tile32x1AVX512, tile32x2AVX512, tile32x3AVX512}}
	case cpu.AVX2:
		return &kernels[float32]{rows: 4, cols: 24, lane: 8, depth: exactDepth, pack: packSingle(packAVX2),
			tile: []tileKernel[float32]{tile32x1AVX2, tile32x2AVX2, tile32x3AVX2}}
	}
	return portable32
}

// rowKernelsOf returns the projection kernels of a path.
func rowKernelsOf(path cpu.Path) *rowKernels {
	switch path {
	case cpu.AVX512:
		return &rowKernels{rows: 8, lane: 8, widen: widenAVX512, add: [][]rowKernel{
			{nil, rows0x1AVX512, rows0x2AVX512, rows0x3AVX512},
			{rows1x0AVX512, rows1x1AVX512, rows1x2AVX512},
			{rows2x0AVX512, rows2x1AVX512},
			{rows3x0AVX512}}}
	case cpu.AVX2:
		return &rowKernels{rows: 4, lane: 4, widen: widenAVX2, add: [][]rowKernel{
			{nil, rows0x1AVX2, rows0x2AVX2, rows0x3AVX2},
			{rows1x0AVX2, rows1x1AVX2, rows1x2AVX2},
			{rows2x0AVX2, rows2x1AVX2},
			{rows3x0AVX2}}}
	}
	return portableRows
}

// vectors64 returns the row kernels of a path for double precision.
func vectors64(path cpu.Path) *vectors[float64] {
	switch path {
	case cpu.AVX512:
		return &vectors[float64]{centre64AVX512, addScaled64AVX512}
	case cpu.AVX2:
		return &vectors[float64]{centre64AVX2, addScaled64AVX2}
	}
	return portableVectors64
}

// vectors32 returns the row kernels of a path for single precision.
func vectors32(path cpu.Path) *vectors[float32] {
	switch path {
	case cpu.AVX512:
		return &vectors[float32]{centre32AVX512, addScaled32AVX512}
	case cpu.AVX2:
		return &vectors[float32]{centre32AVX2, addScaled32AVX2}
	}
	return portableVectors32
}

type packKernel func(k int, src unsafe.Pointer, stride int, dst unsafe.Pointer)

func packDouble(f packKernel) func(k int, src *float64, stride int, dst *float64) {
	return func(k int, src *float64, stride int, dst *float64) {
		f(k, unsafe.Pointer(src), stride*8, unsafe.Pointer(dst))
	}
}

func packSingle(f packKernel) func(k int, src *float32, stride int, dst *float32) {
	return func(k int, src *float32, stride int, dst *float32) {
		f(k, unsafe.Pointer(src), stride*4, unsafe.Pointer(dst))
	}
}

//go:noescape
func tile64x1AVX512(k int, a, b *float64, alpha float64, c *float64, ldc int)

//go:noescape
func tile64x2AVX512(k int, a, b *float64, alpha float64, c *float64, ldc int)

//go:noescape
func tile64x3AVX512(k int, a, b *float64, alpha float64, c *float64, ldc int)

//go:noescape
func tile64x1AVX2(k int, a, b *float64, alpha float64, c *float64, ldc int)

//go:noescape
func tile64x2AVX2(k int, a, b *float64, alpha float64, c *float64, ldc int)

//go:noescape
func tile64x3AVX2(k int, a, b *float64, alpha float64, c *float64, ldc int)

//go:noescape
func tile32x1AVX512(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func tile32x2AVX512(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func tile32x3AVX512(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func tile32x1AVX2(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func tile32x2AVX2(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func tile32x3AVX2(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func rows0x1AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows0x2AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows0x3AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows1x0AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows1x1AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows1x2AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows2x0AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows2x1AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows3x0AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows0x1AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows0x2AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows0x3AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows1x0AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows1x1AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows1x2AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows2x0AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows2x1AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func rows3x0AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc, next *float64)

//go:noescape
func packAVX512(k int, src unsafe.Pointer, stride int, dst unsafe.Pointer)

//go:noescape
func packAVX2(k int, src unsafe.Pointer, stride int, dst unsafe.Pointer)

//go:noescape
func widenAVX512(n int, src *float32, dst *float64)

//go:noescape
func widenAVX2(n int, src *float32, dst *float64)

//go:noescape
func centre64AVX512(n int, x, pivot, y *float64, sum *float64, largest *float64, squares *[8]float64)

//go:noescape
func addScaled64AVX512(n int, alpha float64, y *float64, dst *float64)

//go:noescape
func centre32AVX512(n int, x, pivot, y *float32, sum *float64, largest *float32, squares *[8]float64)

//go:noescape
func addScaled32AVX512(n int, alpha float64, y *float32, dst *float64)

//go:noescape
func centre64AVX2(n int, x, pivot, y *float64, sum *float64, largest *float64, squares *[8]float64)

//go:noescape
func addScaled64AVX2(n int, alpha float64, y *float64, dst *float64)

//go:noescape
func centre32AVX2(n int, x, pivot, y *float32, sum *float64, largest *float32, squares *[8]float64)

//go:noescape
func addScaled32AVX2(n int, alpha float64, y *float32, dst *float64)
