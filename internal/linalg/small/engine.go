package small

// engine is one implementation of the kernels. Its operands are groups of lanes() interleaved matrices: value t of the
// matrix in lane k is at t*lanes()+k. With one lane, that is the matrix itself.
type engine interface {
	lanes() int
	// pack interleaves lanes() matrices with m values each that are stored one after the other in src; unpack is its
	// inverse.
	pack(dst, src []float64, m int)
	unpack(dst, src []float64, m int)
	// cholesky overwrites the lower triangle of a with its factor, clears the upper one, and writes the pivots before
	// their square roots are taken.
	cholesky(a, pivots []float64, n int)
	// invertLower inverts lower triangular matrices and clears the upper triangle of li. li and l are distinct.
	invertLower(li, l []float64, n int)
	// multiply forms a product. c is distinct from a and b.
	multiply(p *product)
	// eigen diagonalizes a and reads only its lower triangle. With vectors, it overwrites a with the eigenvectors as
	// rows; otherwise it destroys the contents of a. It writes the eigenvalues to values, in any order, and marks lanes
	// that fail in w.
	eigen(w *Workspace, values, a []float64, n int, vectors bool)
	// scaleRows writes the rows of z, each multiplied by its value of d, to dst.
	scaleRows(dst, z, d []float64, n int)
	// ranks writes the position of each value among the n values of its lane in ascending order. Equal values keep
	// their order.
	ranks(places, values []float64, n int)
	// columns writes, in one lane, the n×n matrix with row order[j] of z as column j. It destroys order, which must be
	// followed by lanes() readable values.
	columns(dst, z []float64, order []int64, lane, n int)
	// logSquares replaces the n eigenvalues of each lane by their logarithms, and writes the sum of squares of the
	// logarithms.
	logSquares(dst, values []float64, n int)
}

// product describes C = op(A) op(B) for the matrices of a group, and which operands have known zeros that need not be
// multiplied.
type product struct {
	c, a, b        []float64
	n              int
	transA, transB bool
	known          structure
	args           productArgs // the same for the assembly kernels
}

// structure is a set of known properties of a product.
type structure int

const (
	lowerA    structure = 1 << iota // op(A) is lower triangular: k <= i
	lowerB                          // op(B) is lower triangular: k >= j
	upperB                          // op(B) is upper triangular: k <= j
	symmetric                       // C is symmetric: only its lower triangle is computed
)

// multiply fills the workspace's product and runs it.
func (w *Workspace) multiply(e engine, c, a, b []float64, n int, transA, transB bool, known structure) {
	w.prod = product{c: c, a: a, b: b, n: n, transA: transA, transB: transB, known: known}
	e.multiply(&w.prod)
}
