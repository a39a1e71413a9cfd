package dense

import (
	"unsafe"

	"rao/internal/linalg/cpu"
)

var (
	neon64 = &kernels[float64]{rows: 6, cols: 6, lane: 2, depth: 256, pack: packDouble(packNEON),
		tile:   []tileKernel[float64]{tile64x1NEON, tile64x2NEON, tile64x3NEON},
		gather: []gatherKernel[float64]{gather64x1NEON, gather64x2NEON, gather64x3NEON}}
	neon32 = &kernels[float32]{rows: 6, cols: 12, lane: 4, depth: exactDepth, pack: packSingle(packNEON),
		tile:   []tileKernel[float32]{tile32x1NEON, tile32x2NEON, tile32x3NEON},
		gather: []gatherKernel[float32]{gather32x1NEON, gather32x2NEON, gather32x3NEON}}
	neonRows = &rowKernels{rows: 6, lane: 2, few: 2, singles: 3, partial: 2, add: [][]rowKernel{
		{nil, rows0x1NEON, rows0x2NEON, rows0x3NEON},
		{rows1x0NEON, rows1x1NEON, rows1x2NEON},
		{rows2x0NEON, rows2x1NEON},
		{rows3x0NEON}}}
	neonVectors64 = &vectors[float64]{center: center64NEON}
	neonVectors32 = &vectors[float32]{center32NEON, addScaled32NEON}
)

func kernels64(path cpu.Path) *kernels[float64] { return either(path, neon64, portable64) }
func kernels32(path cpu.Path) *kernels[float32] { return either(path, neon32, portable32) }
func rowKernelsOf(path cpu.Path) *rowKernels    { return either(path, neonRows, portableRows) }
func vectors64(path cpu.Path) *vectors[float64] {
	return either(path, neonVectors64, portableVectors64)
}
func vectors32(path cpu.Path) *vectors[float32] {
	return either(path, neonVectors32, portableVectors32)
}

// either returns neon if path is cpu.NEON, and portable otherwise.
func either[T any](path cpu.Path, neon, portable *T) *T {
	if path == cpu.NEON {
		return neon
	}
	return portable
}

//go:noescape
func tile64x1NEON(k int, a, b *float64, alpha float64, c *float64, ldc int)

//go:noescape
func tile64x2NEON(k int, a, b *float64, alpha float64, c *float64, ldc int)

//go:noescape
func tile64x3NEON(k int, a, b *float64, alpha float64, c *float64, ldc int)

//go:noescape
func tile32x1NEON(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func tile32x2NEON(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func tile32x3NEON(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func gather64x1NEON(k int, rows *[]float64, at int, pivot, dst *float64, sum *float64, largest *float64)

//go:noescape
func gather64x2NEON(k int, rows *[]float64, at int, pivot, dst *float64, sum *float64, largest *float64)

//go:noescape
func gather64x3NEON(k int, rows *[]float64, at int, pivot, dst *float64, sum *float64, largest *float64)

//go:noescape
func gather32x1NEON(k int, rows *[]float32, at int, pivot, dst *float32, sum *float64, largest *float32)

//go:noescape
func gather32x2NEON(k int, rows *[]float32, at int, pivot, dst *float32, sum *float64, largest *float32)

//go:noescape
func gather32x3NEON(k int, rows *[]float32, at int, pivot, dst *float32, sum *float64, largest *float32)

//go:noescape
func rows0x1NEON(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows0x2NEON(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows0x3NEON(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows1x0NEON(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows1x1NEON(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows1x2NEON(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows2x0NEON(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows2x1NEON(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows3x0NEON(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func packNEON(k int, src unsafe.Pointer, stride int, dst unsafe.Pointer)

//go:noescape
func center64NEON(n int, x, pivot, y *float64, sum *float64, largest *float64, squares *[8]float64)

//go:noescape
func center32NEON(n int, x, pivot, y *float32, sum *float64, largest *float32, squares *[8]float64)

//go:noescape
func addScaled32NEON(n int, alpha float64, y *float32, dst *float64)
