package vec

import "rao/internal/linalg/cpu"

// haveKernels reports whether the NEON kernels are in use. They are called by name, as on amd64.
var haveKernels = cpu.Use() == cpu.NEON

// dotEights adds the products of n values to eight lanes; n is a multiple of 8.
func dotEights(n int, a, b *float64, lanes *[8]float64) {
	dotNEON(n, a, b, lanes)
}

// distanceEights is dotEights for squared differences.
func distanceEights(n int, a, b *float64, lanes *[8]float64) {
	distanceNEON(n, a, b, lanes)
}

// axpyEights adds alpha x to y for n values; n is a multiple of 8.
func axpyEights(n int, alpha float64, x, y *float64) {
	axpyNEON(n, alpha, x, y)
}

// productBlocks adds a b to c value by value, for blocks of n values (n a multiple of 8). The steps from block to
// block are in values.
func productBlocks(blocks, n int, a, b, c *float64, stepA, stepB, stepC int) {
	productsNEON(blocks, n, a, b, c, 8*stepA, 8*stepB, 8*stepC)
}

// expEights replaces n values (n a multiple of 8) by their exponentials, or by 0 if they are below floor.
func expEights(n int, floor float64, x *float64) {
	expNEON(n, floor, x)
}

// timesEights multiplies y by x for n values; n is a multiple of 8.
func timesEights(n int, x, y *float64) {
	timesNEON(n, x, y)
}

// largerEights sets each of n values of y to the larger of y and x; n is a multiple of 8.
func largerEights(n int, x, y *float64) {
	largerNEON(n, x, y)
}

// standardize replaces rows of n values (n a multiple of 8), each followed by skip other values, by (row - shift)
// scale. It writes eight partial sums of squares for each row.
func standardize(rows, n, skip int, scale float64, shift, x *float64, sums *[8]float64) {
	standardizeNEON(rows, n, 8*skip, scale, shift, x, sums)
}

// dotNarrowEights is dotEights with a in single precision.
func dotNarrowEights(n int, a *float32, b *float64, lanes *[8]float64) {
	dotNarrowNEON(n, a, b, lanes)
}

// timesNarrowEights is timesEights with x in single precision.
func timesNarrowEights(n int, x *float32, y *float64) {
	timesNarrowNEON(n, x, y)
}

// axpyNarrowEights is axpyEights with x in single precision.
func axpyNarrowEights(n int, alpha float64, x *float32, y *float64) {
	axpyNarrowNEON(n, alpha, x, y)
}

// narrowEights writes n values in single precision; n is a multiple of 8.
func narrowEights(n int, x *float64, dst *float32) {
	narrowNEON(n, x, dst)
}

// widenEights writes n values in double precision; n is a multiple of 8.
func widenEights(n int, x *float32, dst *float64) {
	widenNEON(n, x, dst)
}

// rotateChain applies n rotations to rows of RotationWidth values, from the row at top to the rows before it.
func rotateChain(n int, cs, top *float64) {
	rotateNEON(n, cs, top)
}

// addRows adds rows of A times their weights to y. Rows have n values; n is a multiple of 8.
func addRows(rows, n, stride int, w, a, y *float64) {
	addRowsNEON(rows, n, 8*stride, w, a, y)
}

// halfSquares writes offset - ½ Σ_j (Σ_k f_jk x_kr)² to dst for n columns; n is a multiple of 8. Row j of the packed
// factor has j+2 values, for all j with j+2 < end.
func halfSquares(n, end, stride int, offset float64, f, x, dst *float64) {
	halfSquaresNEON(n, end, 8*stride, offset, f, x, dst)
}

//go:noescape
func halfSquaresNEON(n, end, stride int, offset float64, f, x, dst *float64)

//go:noescape
func addRowsNEON(rows, n, stride int, w, a, y *float64)

//go:noescape
func rotateNEON(n int, cs, top *float64)

//go:noescape
func dotNEON(n int, a, b *float64, lanes *[8]float64)

//go:noescape
func distanceNEON(n int, a, b *float64, lanes *[8]float64)

//go:noescape
func axpyNEON(n int, alpha float64, x, y *float64)

//go:noescape
func productsNEON(blocks, n int, a, b, c *float64, stepA, stepB, stepC int)

//go:noescape
func expNEON(n int, floor float64, x *float64)

//go:noescape
func timesNEON(n int, x, y *float64)

//go:noescape
func largerNEON(n int, x, y *float64)

//go:noescape
func standardizeNEON(rows, n, skip int, scale float64, shift, x *float64, sums *[8]float64)

//go:noescape
func dotNarrowNEON(n int, a *float32, b *float64, lanes *[8]float64)

//go:noescape
func timesNarrowNEON(n int, x *float32, y *float64)

//go:noescape
func axpyNarrowNEON(n int, alpha float64, x *float32, y *float64)

//go:noescape
func narrowNEON(n int, x *float64, dst *float32)

//go:noescape
func widenNEON(n int, x *float32, dst *float64)
