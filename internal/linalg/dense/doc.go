// Package dense multiplies large dense matrices: general products, symmetric rank-k updates (A'A), and products of
// symmetric matrices with a few columns. It also has the row operations from which class statistics are computed.
//
// Matrices are row-major slices with a leading dimension, the distance between the starts of two rows. Elements between
// the last column and the leading dimension are neither read nor written. Shapes that do not fit are programming
// errors, so functions panic on them. Every function gives the same bits at any GOMAXPROCS. Results on different
// processors may differ in the last bits, because sums are split over the lanes of vectors and rounded after fused
// multiplications.
//
// # How it works
//
// Products follow Goto and van de Geijn (2008). For 256 values of k at a time, both factors are packed into panels a
// few vectors wide. A kernel computes a tile of C that stays in registers. The tile is 8×24 (float64) or 8×48 (float32)
// with AVX-512, 4×12 or 4×24 with AVX2 and FMA, 6×6 or 6×12 with NEON, and 2×4 in portable Go. A group of column panels
// stays in the level-two cache while the rows stream past. A'A packs A once, for both factors, and computes only the
// vectors of tiles that touch the upper triangle. A product with few columns does not pack its large factor, which is
// used only once: it reads a block of rows in place (8 with AVX-512, 6 with NEON, 4 with AVX2) and keeps their products
// in registers. For a large stack of symmetric matrices it reads only the upper triangles.
//
// Products of float32 are summed in float32 over 256 values of k, and these sums are added to a float64 result.
//
// The program in gen writes the assembly. At run time, internal/linalg/cpu chooses the kernels. All of them pass the
// same tests.
package dense
