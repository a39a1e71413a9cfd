package small

// engine is one implementation of the kernels. Its operands are groups of lanes()
// matrices, interleaved: value t of the matrix in lane k is at t*lanes()+k. With
// one lane that is the matrix itself.
type engine interface {
	lanes() int
	// pack interleaves lanes() matrices of m values that lie one after the other
	// in src; unpack is its inverse.
	pack(dst, src []float64, m int)
	unpack(dst, src []float64, m int)
	// cholesky overwrites the lower triangle of a by its factor, zeroes the upper
	// one and writes the pivots before their square root.
	cholesky(a, pivots []float64, n int)
	// invertLower inverts lower triangular matrices; the upper triangle of li is
	// zeroed. li and l are distinct.
	invertLower(li, l []float64, n int)
	// solveLower solves op(L) X = B for lower triangular L. x is distinct from b
	// and l.
	solveLower(x, l, b []float64, trans bool, n int)
	// multiply forms a product. c is distinct from a and b.
	multiply(p *product)
	// eigen diagonalizes a, of which it reads the lower triangle. With vectors a
	// becomes the eigenvectors, as rows; without, it is destroyed. values receives
	// the eigenvalues, in an order of the engine's choice. Lanes that fail are
	// marked in w.
	eigen(w *Workspace, values, a []float64, n int, vectors bool)
	// scaleRows writes the rows of z, each times its value of d, to dst.
	scaleRows(dst, z, d []float64, n int)
	// ranks writes the place of each value of a lane among its n in ascending
	// order; equal values keep theirs.
	ranks(places, values []float64, n int)
	// columns writes the n×n matrix whose column j is row order[j] of z, in one
	// lane. order is destroyed; it is in a slice that a vector of lanes() may be
	// read from.
	columns(dst, z []float64, order []int64, lane, n int)
	// logSquares replaces the n eigenvalues of each lane by their logarithms, and
	// writes the sum of the squares of these.
	logSquares(dst, values []float64, n int)
}

// product describes C = op(A) op(B) for the matrices of a group, and what is known
// of the operands so that zeros need not be multiplied.
type product struct {
	c, a, b        []float64
	n              int
	transA, transB bool
	known          structure
	args           productArgs // the same, for assembly
}

// structure is a set of facts about a product.
type structure int

const (
	lowerA    structure = 1 << iota // op(A) is lower triangular: k <= i
	lowerB                          // op(B) is lower triangular: k >= j
	upperB                          // op(B) is upper triangular: k <= j
	symmetric                       // C is symmetric: its lower triangle decides
)

// multiply fills the workspace's product and runs it.
func (w *Workspace) multiply(e engine, c, a, b []float64, n int, transA, transB bool, known structure) {
	w.prod = product{c: c, a: a, b: b, n: n, transA: transA, transB: transB, known: known}
	e.multiply(&w.prod)
}
