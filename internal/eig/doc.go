// Package eig solves the symmetric eigenproblem one matrix at a time in portable
// Go: Householder reduction to tridiagonal form, then the implicit QL iteration
// with Wilkinson's shift (Martin, Reinsch and Wilkinson 1968; Dubrulle 1970;
// Golub and Van Loan 2013, section 8.3). It allocates nothing, so it is the
// portable path of the batched kernels, their reference in tests, and the solver
// for matrices too large to batch.
//
//	work := make([]float64, eig.WorkLen(n))
//	values := make([]float64, n)
//	if err := eig.Sym(values, a, n, true, work); err != nil { ... }
//	// a now holds the eigenvectors, one a column
//
// Results are backward stable: residual and loss of orthogonality are a small
// multiple of the unit roundoff times the norm of the matrix. An eigenvalue much
// smaller than the largest therefore has that absolute accuracy, not a relative
// one.
package eig
