package dense

import (
	"unsafe"

	"rao/internal/linalg/cpu"
)

//go:generate go run ./gen

var (
	all64 = [...]*kernels[float64]{
		cpu.Portable: portable64,
		cpu.AVX2: {rows: 4, cols: 12, lane: 4, depth: 256, pack: packDouble(packAVX2),
			tile:   []tileKernel[float64]{tile64x1AVX2, tile64x2AVX2, tile64x3AVX2},
			gather: []gatherKernel[float64]{gather64x1AVX2, gather64x2AVX2, gather64x3AVX2}},
		cpu.AVX512: {rows: 8, cols: 24, lane: 8, depth: 256, pack: packDouble(packAVX512),
			tile:   []tileKernel[float64]{tile64x1AVX512, tile64x2AVX512, tile64x3AVX512},
			gather: []gatherKernel[float64]{gather64x1AVX512, gather64x2AVX512, gather64x3AVX512}},
	}
	all32 = [...]*kernels[float32]{
		cpu.Portable: portable32,
		cpu.AVX2: {rows: 4, cols: 24, lane: 8, depth: exactDepth, pack: packSingle(packAVX2),
			tile:   []tileKernel[float32]{tile32x1AVX2, tile32x2AVX2, tile32x3AVX2},
			gather: []gatherKernel[float32]{gather32x1AVX2, gather32x2AVX2, gather32x3AVX2}},
		cpu.AVX512: {rows: 8, cols: 48, lane: 16, depth: exactDepth, pack: packSingle(packAVX512),
			tile:   []tileKernel[float32]{tile32x1AVX512, tile32x2AVX512, tile32x3AVX512},
			gather: []gatherKernel[float32]{gather32x1AVX512, gather32x2AVX512, gather32x3AVX512},
			whole:  wholeAVX512()},
	}
	allRows = [...]*rowKernels{
		cpu.Portable: portableRows,
		cpu.AVX2: {rows: 4, lane: 4, few: 8, singles: 3, partial: 8, add: [][]rowKernel{
			{nil, rows0x1AVX2, rows0x2AVX2, rows0x3AVX2},
			{rows1x0AVX2},
			{rows2x0AVX2, rows2x1AVX2, rows2x2AVX2},
			{rows3x0AVX2}},
			triangle: []triangleKernel{triangle1AVX2}, triangleColumns: 12},
		cpu.AVX512: {rows: 8, lane: 8, few: 8, singles: 3, partial: 8, add: [][]rowKernel{
			{nil, rows0x1AVX512, rows0x2AVX512, rows0x3AVX512},
			{rows1x0AVX512, rows1x1AVX512, rows1x2AVX512},
			{rows2x0AVX512, rows2x1AVX512},
			{rows3x0AVX512}},
			triangle: []triangleKernel{triangle1AVX512, triangle2AVX512, triangle3AVX512}, triangleColumns: 12},
	}
	allVectors64 = [...]*vectors[float64]{
		cpu.Portable: portableVectors64,
		cpu.AVX2:     {center: center64AVX2},
		cpu.AVX512:   {center: center64AVX512},
	}
	allVectors32 = [...]*vectors[float32]{
		cpu.Portable: portableVectors32,
		cpu.AVX2:     {center32AVX2, addScaled32AVX2},
		cpu.AVX512:   {center32AVX512, addScaled32AVX512},
	}
)

func kernels64(path cpu.Path) *kernels[float64] { return all64[path] }
func kernels32(path cpu.Path) *kernels[float32] { return all32[path] }
func rowKernelsOf(path cpu.Path) *rowKernels    { return allRows[path] }
func vectors64(path cpu.Path) *vectors[float64] { return allVectors64[path] }
func vectors32(path cpu.Path) *vectors[float32] { return allVectors32[path] }

// wholeAVX512 returns the kernels for bytes, or nil if the processor lacks the instruction they need.
func wholeAVX512() *wholeKernels {
	if !cpu.ByteProducts() {
		return nil
	}
	g := &wholeKernels{
		kernels: kernels[float32]{rows: 8, cols: wholeCols, lane: 16, depth: headRows + wholeDepth/4,
			tile: []tileKernel[float32]{tile8x1AVX512, tile8x2AVX512, tile8x3AVX512}},
		gatherQuads: []quadKernel{gather8x1AVX512, gather8x2AVX512, gather8x3AVX512},
		gatherBytes: []byteKernel{bytes8x1AVX512, bytes8x2AVX512, bytes8x3AVX512},
	}
	if cpu.ByteCompression() {
		g.differ, g.compress = differAVX512, compressAVX512
	}
	return g
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
func gather64x1AVX512(k int, rows *[]float64, at int, pivot, dst *float64, sum *float64, largest *float64)

//go:noescape
func gather64x2AVX512(k int, rows *[]float64, at int, pivot, dst *float64, sum *float64, largest *float64)

//go:noescape
func gather64x3AVX512(k int, rows *[]float64, at int, pivot, dst *float64, sum *float64, largest *float64)

//go:noescape
func gather32x1AVX512(k int, rows *[]float32, at int, pivot, dst *float32, sum *float64, largest *float32)

//go:noescape
func gather32x2AVX512(k int, rows *[]float32, at int, pivot, dst *float32, sum *float64, largest *float32)

//go:noescape
func gather32x3AVX512(k int, rows *[]float32, at int, pivot, dst *float32, sum *float64, largest *float32)

//go:noescape
func gather64x1AVX2(k int, rows *[]float64, at int, pivot, dst *float64, sum *float64, largest *float64)

//go:noescape
func gather64x2AVX2(k int, rows *[]float64, at int, pivot, dst *float64, sum *float64, largest *float64)

//go:noescape
func gather64x3AVX2(k int, rows *[]float64, at int, pivot, dst *float64, sum *float64, largest *float64)

//go:noescape
func gather32x1AVX2(k int, rows *[]float32, at int, pivot, dst *float32, sum *float64, largest *float32)

//go:noescape
func gather32x2AVX2(k int, rows *[]float32, at int, pivot, dst *float32, sum *float64, largest *float32)

//go:noescape
func gather32x3AVX2(k int, rows *[]float32, at int, pivot, dst *float32, sum *float64, largest *float32)

//go:noescape
func rows0x1AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows0x2AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows0x3AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows1x0AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows1x1AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows1x2AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows2x0AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows2x1AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows3x0AVX512(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows0x1AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows0x2AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows0x3AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows1x0AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows2x0AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows2x1AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows2x2AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func rows3x0AVX2(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

//go:noescape
func packAVX512(k int, src unsafe.Pointer, stride int, dst unsafe.Pointer)

//go:noescape
func packAVX2(k int, src unsafe.Pointer, stride int, dst unsafe.Pointer)

//go:noescape
func center64AVX512(n int, x, pivot, y *float64, sum *float64, largest *float64, squares *[8]float64)

//go:noescape
func center32AVX512(n int, x, pivot, y *float32, sum *float64, largest *float32, squares *[8]float64)

//go:noescape
func addScaled32AVX512(n int, alpha float64, y *float32, dst *float64)

//go:noescape
func center64AVX2(n int, x, pivot, y *float64, sum *float64, largest *float64, squares *[8]float64)

//go:noescape
func center32AVX2(n int, x, pivot, y *float32, sum *float64, largest *float32, squares *[8]float64)

//go:noescape
func addScaled32AVX2(n int, alpha float64, y *float32, dst *float64)

//go:noescape
func tile8x1AVX512(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func tile8x2AVX512(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func tile8x3AVX512(k int, a, b *float32, alpha float64, c *float64, ldc int)

//go:noescape
func bytes8x1AVX512(quads int, rows *[]byte, at int, dst *float32, sum *int32)

//go:noescape
func bytes8x2AVX512(quads int, rows *[]byte, at int, dst *float32, sum *int32)

//go:noescape
func bytes8x3AVX512(quads int, rows *[]byte, at int, dst *float32, sum *int32)

//go:noescape
func gather8x1AVX512(quads int, rows *[]float32, at int, dst *float32, sum *int32, odd *int64)

//go:noescape
func gather8x2AVX512(quads int, rows *[]float32, at int, dst *float32, sum *int32, odd *int64)

//go:noescape
func gather8x3AVX512(quads int, rows *[]float32, at int, dst *float32, sum *int32, odd *int64)

//go:noescape
func differAVX512(count int, rows *[]byte, at int, about, seen *byte)

//go:noescape
func compressAVX512(count int, rows *[]byte, length int, masks, others *uint64, about, dst *byte, stride int,
	flags *byte)

//go:noescape
func triangle1AVX2(k int, a *float64, lda int, fj, yj, fi, yi *float64, step int, ahead *float64)

//go:noescape
func triangle1AVX512(k int, a *float64, lda int, fj, yj, fi, yi *float64, step int, ahead *float64)

//go:noescape
func triangle2AVX512(k int, a *float64, lda int, fj, yj, fi, yi *float64, step int, ahead *float64)

//go:noescape
func triangle3AVX512(k int, a *float64, lda int, fj, yj, fi, yi *float64, step int, ahead *float64)
