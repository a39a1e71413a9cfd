//go:build !amd64 && !arm64

package vec

// haveKernels is false: other architectures only have plain Go.
const haveKernels = false

func dotEights(n int, a, b *float64, lanes *[8]float64) { panic("vec: no kernel") }

func distanceEights(n int, a, b *float64, lanes *[8]float64) { panic("vec: no kernel") }

func axpyEights(n int, alpha float64, x, y *float64) { panic("vec: no kernel") }

func productBlocks(blocks, n int, a, b, c *float64, stepA, stepB, stepC int) {
	panic("vec: no kernel")
}

func expEights(n int, floor float64, x *float64) { panic("vec: no kernel") }

func timesEights(n int, x, y *float64) { panic("vec: no kernel") }

func largerEights(n int, x, y *float64) { panic("vec: no kernel") }

func standardize(rows, n, skip int, scale float64, shift, x *float64, sums *[8]float64) {
	panic("vec: no kernel")
}

func dotNarrowEights(n int, a *float32, b *float64, lanes *[8]float64) { panic("vec: no kernel") }

func timesNarrowEights(n int, x *float32, y *float64) { panic("vec: no kernel") }

func axpyNarrowEights(n int, alpha float64, x *float32, y *float64) { panic("vec: no kernel") }

func narrowEights(n int, x *float64, dst *float32) { panic("vec: no kernel") }

func widenEights(n int, x *float32, dst *float64) { panic("vec: no kernel") }

func rotateChain(n int, cs, top *float64) { panic("vec: no kernel") }

func addRows(rows, n, stride int, w, a, y *float64) { panic("vec: no kernel") }

func halfSquares(n, end, stride int, offset float64, f, x, dst *float64) {
	panic("vec: no kernel")
}
