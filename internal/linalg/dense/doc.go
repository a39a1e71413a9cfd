// Package dense multiplies large dense matrices: general products, symmetric rank-k
// updates (A'A) and the projection of symmetric matrices on a few columns. It has the
// row operations that class statistics are made of.
//
// Matrices are row-major slices with a leading dimension, the distance between the
// starts of two rows. Elements between the columns and the leading dimension are
// neither read nor written. Shapes that do not fit panic: they are programming errors.
// Every function gives the same bits at any GOMAXPROCS. Other processors may give other
// last bits, because sums are split over the lanes of their vectors and rounded after
// fused multiplications.
//
// # How it works
//
// Products follow Goto and van de Geijn (2008). 256 values of k at a time, both factors
// are packed into panels a few vectors wide. A kernel computes a tile of C that stays
// in registers. With AVX-512 it is 8×24 (float64) or 8×48 (float32), with AVX2 and FMA 4×12 or
// 4×24, with NEON 6×6 or 6×12, in portable Go 2×4. A group of column panels stays in the level-two cache
// while the rows stream past. A'A packs A once, for both factors, and computes only the
// vectors of tiles that touch the upper triangle. A projection does not pack its large
// factor, which is used only once: it reads 8 (6, 4) rows where they lie and keeps
// their products in registers. Of a large stack of symmetric matrices it reads the upper
// triangles alone.
//
// Products of float32 are summed in float32 over 256 values of k, then added to a
// float64 result.
//
// The assembly is written by the program in gen; internal/linalg/cpu chooses the kernels
// when the program runs. All of them pass the same tests.
package dense
