// Package eig solves the symmetric eigenproblem one matrix at a time: Householder
// reduction to tridiagonal form, then the implicit QL iteration with Wilkinson's shift.
// Sources: Martin, Reinsch and Wilkinson 1968; Dubrulle 1970; Golub and Van Loan 2013,
// section 8.3. Up to order 64 it is plain Go, allocates nothing and runs on the calling
// goroutine: the portable path of the batched kernels and their reference in tests.
// Above, where it serves matrices too large to batch, the reduction is blocked and the
// rotations are vectorized; several goroutines may help, with the same bits for any
// number.
//
//	work := make([]float64, eig.WorkLen(n))
//	values := make([]float64, n)
//	if err := eig.Sym(values, a, n, true, work); err != nil { ... }
//	// a now holds the eigenvectors, one per column
//
// Results are backward stable: residual and loss of orthogonality are a small
// multiple of the unit roundoff times the norm of the matrix. An eigenvalue much
// smaller than the largest therefore has that absolute accuracy, not a relative
// one.
package eig
