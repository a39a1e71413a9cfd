//go:build amd64 || arm64

package vec

// The kernels are called by name, not through variables, so slices on a caller's stack do not escape to the heap. On
// amd64, the assembly of each function selects AVX2 or AVX-512.

// dotEights adds the products of n values to eight lanes; n is a multiple of 8.
//
//go:noescape
func dotEights(n int, a, b *float64, lanes *[8]float64)

// distanceEights is dotEights for squared differences.
//
//go:noescape
func distanceEights(n int, a, b *float64, lanes *[8]float64)

// axpyEights adds alpha x to y for n values; n is a multiple of 8.
//
//go:noescape
func axpyEights(n int, alpha float64, x, y *float64)

// productBlocks adds a b to c value by value, for blocks of n values (n a multiple of 8). The steps from block to
// block are in bytes.
//
//go:noescape
func productBlocks(blocks, n int, a, b, c *float64, stepA, stepB, stepC int)

// expEights replaces n values (n a multiple of 8) by their exponentials, or by 0 if they are below floor.
//
//go:noescape
func expEights(n int, floor float64, x *float64)

// timesEights multiplies y by x for n values; n is a multiple of 8.
//
//go:noescape
func timesEights(n int, x, y *float64)

// largerEights sets each of n values of y to the larger of y and x; n is a multiple of 8.
//
//go:noescape
func largerEights(n int, x, y *float64)

// standardize replaces rows of n values (n a multiple of 8), each followed by skip bytes of other values, by
// (row - shift) scale. It writes eight partial sums of squares for each row.
//
//go:noescape
func standardize(rows, n, skip int, scale float64, shift, x *float64, sums *[8]float64)

// dotNarrowEights is dotEights with a in single precision.
//
//go:noescape
func dotNarrowEights(n int, a *float32, b *float64, lanes *[8]float64)

// timesNarrowEights is timesEights with x in single precision.
//
//go:noescape
func timesNarrowEights(n int, x *float32, y *float64)

// axpyNarrowEights is axpyEights with x in single precision.
//
//go:noescape
func axpyNarrowEights(n int, alpha float64, x *float32, y *float64)

// narrowEights writes n values in single precision; n is a multiple of 8.
//
//go:noescape
func narrowEights(n int, x *float64, dst *float32)

// widenEights writes n values in double precision; n is a multiple of 8.
//
//go:noescape
func widenEights(n int, x *float32, dst *float64)

// rotateChain applies n rotations to rows of RotationWidth values, from the row at top to the rows before it.
//
//go:noescape
func rotateChain(n int, cs, top *float64)

// addRows adds rows of A, stride bytes apart, times their weights to y. Rows have n values; n is a multiple of 8.
//
//go:noescape
func addRows(rows, n, stride int, w, a, y *float64)

// halfSquares writes offset - ½ Σ_j (Σ_k f_jk x_kr)² to dst for n columns; n is a multiple of 8. The rows of X are
// stride bytes apart. Row j of the packed factor has j+2 values, for all j with j+2 < end.
//
//go:noescape
func halfSquares(n, end, stride int, offset float64, f, x, dst *float64)
