package vec

import "rao/internal/linalg/cpu"

// The kernels are called by name, not through variables, so slices on a caller's stack do not escape to the heap.
var (
	haveKernels = cpu.Use() >= cpu.AVX2
	haveAVX512  = cpu.Use() >= cpu.AVX512
)

// dotEights adds the products of n values to eight lanes; n is a multiple of 8.
func dotEights(n int, a, b *float64, lanes *[8]float64) {
	if haveAVX512 {
		dotAVX512(n, a, b, lanes)
		return
	}
	dotAVX2(n, a, b, lanes)
}

// distanceEights is dotEights for squared differences.
func distanceEights(n int, a, b *float64, lanes *[8]float64) {
	if haveAVX512 {
		distanceAVX512(n, a, b, lanes)
		return
	}
	distanceAVX2(n, a, b, lanes)
}

// axpyEights adds alpha x to y for n values; n is a multiple of 8.
func axpyEights(n int, alpha float64, x, y *float64) {
	if haveAVX512 {
		axpyAVX512(n, alpha, x, y)
		return
	}
	axpyAVX2(n, alpha, x, y)
}

// productBlocks adds a b to c value by value, for blocks of n values (n a multiple of 8). The steps from block to
// block are in values.
func productBlocks(blocks, n int, a, b, c *float64, stepA, stepB, stepC int) {
	if haveAVX512 {
		productsAVX512(blocks, n, a, b, c, 8*stepA, 8*stepB, 8*stepC)
		return
	}
	productsAVX2(blocks, n, a, b, c, 8*stepA, 8*stepB, 8*stepC)
}

// expEights replaces n values (n a multiple of 8) by their exponentials, or by 0 if they are below floor.
func expEights(n int, floor float64, x *float64) {
	if haveAVX512 {
		expAVX512(n, floor, x)
		return
	}
	expAVX2(n, floor, x)
}

// timesEights multiplies y by x for n values; n is a multiple of 8.
func timesEights(n int, x, y *float64) {
	if haveAVX512 {
		timesAVX512(n, x, y)
		return
	}
	timesAVX2(n, x, y)
}

// largerEights sets each of n values of y to the larger of y and x; n is a multiple of 8.
func largerEights(n int, x, y *float64) {
	if haveAVX512 {
		largerAVX512(n, x, y)
		return
	}
	largerAVX2(n, x, y)
}

// standardize replaces rows of n values (n a multiple of 8), each followed by skip other values, by (row - shift)
// scale. It writes eight partial sums of squares for each row.
func standardize(rows, n, skip int, scale float64, shift, x *float64, sums *[8]float64) {
	if haveAVX512 {
		standardizeAVX512(rows, n, 8*skip, scale, shift, x, sums)
		return
	}
	standardizeAVX2(rows, n, 8*skip, scale, shift, x, sums)
}

// dotNarrowEights is dotEights with a in single precision.
func dotNarrowEights(n int, a *float32, b *float64, lanes *[8]float64) {
	if haveAVX512 {
		dotNarrowAVX512(n, a, b, lanes)
		return
	}
	dotNarrowAVX2(n, a, b, lanes)
}

// timesNarrowEights is timesEights with x in single precision.
func timesNarrowEights(n int, x *float32, y *float64) {
	if haveAVX512 {
		timesNarrowAVX512(n, x, y)
		return
	}
	timesNarrowAVX2(n, x, y)
}

// axpyNarrowEights is axpyEights with x in single precision.
func axpyNarrowEights(n int, alpha float64, x *float32, y *float64) {
	if haveAVX512 {
		axpyNarrowAVX512(n, alpha, x, y)
		return
	}
	axpyNarrowAVX2(n, alpha, x, y)
}

// narrowEights writes n values in single precision; n is a multiple of 8.
func narrowEights(n int, x *float64, dst *float32) {
	if haveAVX512 {
		narrowAVX512(n, x, dst)
		return
	}
	narrowAVX2(n, x, dst)
}

// widenEights writes n values in double precision; n is a multiple of 8.
func widenEights(n int, x *float32, dst *float64) {
	if haveAVX512 {
		widenAVX512(n, x, dst)
		return
	}
	widenAVX2(n, x, dst)
}

// rotateChain applies n rotations to rows of RotationWidth values, from the row at top to the rows before it.
func rotateChain(n int, cs, top *float64) {
	if haveAVX512 {
		rotateAVX512(n, cs, top)
		return
	}
	rotateAVX2(n, cs, top)
}

// addRows adds rows of A times their weights to y. Rows have n values; n is a multiple of 8.
func addRows(rows, n, stride int, w, a, y *float64) {
	if haveAVX512 {
		addRowsAVX512(rows, n, 8*stride, w, a, y)
		return
	}
	addRowsAVX2(rows, n, 8*stride, w, a, y)
}

// halfSquares writes offset - ½ Σ_j (Σ_k f_jk x_kr)² to dst for n columns; n is a multiple of 8. Row j of the packed
// factor has j+2 values, for all j with j+2 < end.
func halfSquares(n, end, stride int, offset float64, f, x, dst *float64) {
	if haveAVX512 {
		halfSquaresAVX512(n, end, 8*stride, offset, f, x, dst)
		return
	}
	halfSquaresAVX2(n, end, 8*stride, offset, f, x, dst)
}

//go:noescape
func halfSquaresAVX512(n, end, stride int, offset float64, f, x, dst *float64)

//go:noescape
func halfSquaresAVX2(n, end, stride int, offset float64, f, x, dst *float64)

//go:noescape
func addRowsAVX512(rows, n, stride int, w, a, y *float64)

//go:noescape
func addRowsAVX2(rows, n, stride int, w, a, y *float64)

//go:noescape
func rotateAVX512(n int, cs, top *float64)

//go:noescape
func rotateAVX2(n int, cs, top *float64)

//go:noescape
func dotAVX512(n int, a, b *float64, lanes *[8]float64)

//go:noescape
func distanceAVX512(n int, a, b *float64, lanes *[8]float64)

//go:noescape
func axpyAVX512(n int, alpha float64, x, y *float64)

//go:noescape
func dotAVX2(n int, a, b *float64, lanes *[8]float64)

//go:noescape
func distanceAVX2(n int, a, b *float64, lanes *[8]float64)

//go:noescape
func axpyAVX2(n int, alpha float64, x, y *float64)

//go:noescape
func productsAVX512(blocks, n int, a, b, c *float64, stepA, stepB, stepC int)

//go:noescape
func productsAVX2(blocks, n int, a, b, c *float64, stepA, stepB, stepC int)

//go:noescape
func expAVX512(n int, floor float64, x *float64)

//go:noescape
func timesAVX512(n int, x, y *float64)

//go:noescape
func largerAVX512(n int, x, y *float64)

//go:noescape
func standardizeAVX512(rows, n, skip int, scale float64, shift, x *float64, sums *[8]float64)

//go:noescape
func expAVX2(n int, floor float64, x *float64)

//go:noescape
func timesAVX2(n int, x, y *float64)

//go:noescape
func largerAVX2(n int, x, y *float64)

//go:noescape
func standardizeAVX2(rows, n, skip int, scale float64, shift, x *float64, sums *[8]float64)

//go:noescape
func dotNarrowAVX512(n int, a *float32, b *float64, lanes *[8]float64)

//go:noescape
func timesNarrowAVX512(n int, x *float32, y *float64)

//go:noescape
func axpyNarrowAVX512(n int, alpha float64, x *float32, y *float64)

//go:noescape
func narrowAVX512(n int, x *float64, dst *float32)

//go:noescape
func widenAVX512(n int, x *float32, dst *float64)

//go:noescape
func dotNarrowAVX2(n int, a *float32, b *float64, lanes *[8]float64)

//go:noescape
func timesNarrowAVX2(n int, x *float32, y *float64)

//go:noescape
func axpyNarrowAVX2(n int, alpha float64, x *float32, y *float64)

//go:noescape
func narrowAVX2(n int, x *float64, dst *float32)

//go:noescape
func widenAVX2(n int, x *float32, dst *float64)
