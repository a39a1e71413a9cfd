// Package dense multiplies large dense matrices: general products, symmetric
// rank-k updates (A'A) and the projection of symmetric matrices on a few
// columns.
//
// Matrices are row-major slices with a leading dimension, the distance between
// the starts of two rows. Elements between the columns and the leading dimension
// are neither read nor written. Every function gives the same bits at any
// GOMAXPROCS. Shapes that do not fit panic: they are programming errors.
package dense
