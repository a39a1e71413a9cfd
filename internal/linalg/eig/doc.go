// Package eig solves the symmetric eigenproblem for one matrix at a time: Householder reduction to tridiagonal form,
// then the implicit QL iteration with Wilkinson's shift. Sources: Martin, Reinsch and Wilkinson 1968; Dubrulle 1970;
// Golub and Van Loan 2013, section 8.3.
//
// Up to order 64 it is plain Go, does not allocate and runs on the calling goroutine. This is the portable path of the
// batched kernels and their reference in tests. For larger matrices, the reduction is blocked, the rotations are
// vectorized, and several goroutines may share the work. Their number does not change the bits.
//
//	work := make([]float64, eig.WorkLen(n))
//	values := make([]float64, n)
//	if err := eig.Sym(values, a, n, true, work); err != nil { ... }
//	// a now holds the eigenvectors, one per column
//
// Results are backward stable: the residual and the loss of orthogonality are a small multiple of the unit roundoff
// times the norm of the matrix. The error of every eigenvalue is bounded in proportion to the norm of the matrix, so an
// eigenvalue much smaller than the largest may have few correct digits.
package eig
