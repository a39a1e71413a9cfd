//lint:file-ignore U1000 Only assembly reads haveAVX512 and jumps to these functions.

package vec

import "rao/internal/linalg/cpu"

// haveKernels is true if the kernels for AVX2 are in use, or, with haveAVX512, the kernels for AVX-512.
var (
	haveKernels = cpu.Use() >= cpu.AVX2
	haveAVX512  = cpu.Use() >= cpu.AVX512
)

// The functions of kernels_simd.go for AVX-512, to which the functions for AVX2 jump.

//go:noescape
func dotEightsAVX512(n int, a, b *float64, lanes *[8]float64)

//go:noescape
func distanceEightsAVX512(n int, a, b *float64, lanes *[8]float64)

//go:noescape
func axpyEightsAVX512(n int, alpha float64, x, y *float64)

//go:noescape
func productBlocksAVX512(blocks, n int, a, b, c *float64, stepA, stepB, stepC int)

//go:noescape
func expEightsAVX512(n int, floor float64, x *float64)

//go:noescape
func timesEightsAVX512(n int, x, y *float64)

//go:noescape
func largerEightsAVX512(n int, x, y *float64)

//go:noescape
func standardizeAVX512(rows, n, skip int, scale float64, shift, x *float64, sums *[8]float64)

//go:noescape
func dotNarrowEightsAVX512(n int, a *float32, b *float64, lanes *[8]float64)

//go:noescape
func timesNarrowEightsAVX512(n int, x *float32, y *float64)

//go:noescape
func axpyNarrowEightsAVX512(n int, alpha float64, x *float32, y *float64)

//go:noescape
func narrowEightsAVX512(n int, x *float64, dst *float32)

//go:noescape
func widenEightsAVX512(n int, x *float32, dst *float64)

//go:noescape
func rotateChainAVX512(n int, cs, top *float64)

//go:noescape
func addRowsAVX512(rows, n, stride int, w, a, y *float64)

//go:noescape
func halfSquaresAVX512(n, end, stride int, offset float64, f, x, dst *float64)
