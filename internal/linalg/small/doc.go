// Package small computes with many small matrices at once: factorizations, products, congruences, symmetric and
// generalized eigenproblems, and affine-invariant distances.
//
// A batch is a slice with count matrices of order n, one after the other, row-major: the layout of a C-order numpy
// array of shape (count, n, n). The kernels interleave matrices, one per SIMD lane: eight with AVX-512, four with AVX2,
// two with NEON. They run the scalar algorithm on all lanes in lock step. Without SIMD, one matrix is processed at a
// time. Package cpu chooses the kernels. Above order MaxLanes, matrices are processed one at a time by blocked
// algorithms, which consist mostly of matrix products.
//
//	var w small.Workspace
//	if err := w.Eigen(values, vectors, a, n, count); err != nil {
//		var e *small.Error
//		errors.As(err, &e) // e.Index is the matrix, e.Reason and e.Value explain why
//	}
//
// A Workspace reuses its scratch memory: after the first calls it allocates nothing up to order MaxLanes, and little
// above. Only one goroutine may use a workspace at a time. To use several goroutines, split the batch with package par
// and give every worker its own workspace. The result for a matrix has the same bits in any batch and at any position.
// The last bits may differ between the paths of package cpu.
//
// Every operation processes the complete batch even if a matrix fails. The error names the first matrix that failed.
// The results of failed matrices are NaN, and the other results are correct. Slices that are too short panic with
// mat.ErrShape.
package small
