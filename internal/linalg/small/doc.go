// Package small computes with many small matrices at once: factorizations,
// products, congruences, symmetric and generalized eigenproblems, and the
// affine-invariant distances that rest on them.
//
// A batch is a slice that holds count matrices of order n one after the other,
// row-major, the layout of a C-order numpy array of shape (count, n, n). The kernels
// lay matrices side by side, one a SIMD lane: eight with AVX-512, four with AVX2, two with
// NEON. They run the scalar algorithm on all of them in lock step, and without SIMD on one
// matrix at a time. package cpu makes the choice. Orders above MaxLanes go one matrix
// at a time by blocked algorithms, whose work is products of matrices.
//
//	var w small.Workspace
//	if err := w.Eigen(values, vectors, a, n, count); err != nil {
//		var e *small.Error
//		errors.As(err, &e) // e.Index is the matrix, e.Reason and e.Value say why
//	}
//
// A Workspace keeps its scratch memory, so a warm one allocates nothing up to order
// MaxLanes and little above. It is for one goroutine: callers cut the batch with
// package par and give every worker a workspace of its own. The result for a matrix is
// the same, to the bit, in whatever batch and at whatever place it comes. It may differ
// in the last bits from one path of package cpu to another.
//
// Every operation handles the complete batch even when a matrix fails. The error names the
// first that failed, the results of those that failed are NaN, and the others are
// right. Slices that are too short panic with mat.ErrShape.
package small
