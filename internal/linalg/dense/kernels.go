package dense

import "unsafe"

// exactDepth is the number of products that single precision sums before they
// are added in double: 256·255² is below 2²⁴, so that sums of products of whole
// numbers up to 255 are exact.
const exactDepth = 256

// kernels are the inner loops of the packed products, for one element type and
// one instruction set. Matrices are cut into blocks of depth values of k, these
// into panels: for every k, cols neighboring elements, zero where the matrix has
// ended. cols is a multiple of rows.
type kernels[T float32 | float64] struct {
	rows, cols int             // of a tile of C
	lane       int             // columns of a vector
	depth      int             // largest k of a panel
	tile       []tileKernel[T] // by the number of vectors, less one; the last has cols columns
	// pack copies k rows of cols elements, stride elements apart, to a panel.
	pack func(k int, src *T, stride int, dst *T)
	// gather is by the number of vectors, less one; nil where there are no vectors.
	gather []gatherKernel[T]
	// whole multiplies integers from 0 to 255 that come as float32; nil where the processor cannot.
	whole *wholeKernels
}

// gatherKernel packs some vectors of columns of k rows, from byte at of each on, less the
// pivot, to a panel. It writes the sums of the columns and their largest magnitudes.
type gatherKernel[T float32 | float64] func(k int, rows *[]T, at int, pivot, dst *T, sum *float64, largest *T)

// tileKernel adds alpha A'B to the tile C, whose row stride ldc is in bytes. a and
// b point to the tile's first row and column in their panels.
type tileKernel[T float32 | float64] func(k int, a, b *T, alpha float64, c *float64, ldc int)

// rowKernel adds A F to acc for a block of rows of A, read where they lie; lda,
// the row stride, is in bytes. F is packed: in f some whole vectors of columns for
// every k, in dots a few columns more, each on its own, ldd bytes apart. acc holds
// for every row its sums with the former and then, for every row, partial sums for
// each of the latter, which remain to be added.
type rowKernel func(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

// triangleKernel adds the products of a row of k square blocks A_J of a symmetric matrix,
// read where they lie, to those of its rows and, as A_J', to those of its columns:
//
//	Y_I += A_J F_J, Y_J += A_J' F_I.
//
// lda, the row stride, is in bytes. A block has triangleLane rows. F and Y hold as many values of
// a block for each of the columns that the kernel is for; fj and yj point to the
// first of k blocks, step bytes apart, fi and yi to one. Of the k blocks at ahead, some
// rows are brought into the cache.
type triangleKernel func(k int, a *float64, lda int, fj, yj, fi, yi *float64, step int, ahead *float64)

// rowKernels are the inner loops of products with few columns.
type rowKernels struct {
	rows int // of A in a block
	lane int // columns of a vector
	// How columns are summed, which decides the bits: of those that do not fill the last of some vectors
	// of few columns, up to singles less these vectors are single ones, with partial sums.
	few, singles, partial int

	add   [][]rowKernel // by the numbers of vectors and of single columns; nil where they take two calls
	widen func(n int, src *float32, dst *float64)
	// triangle is by the number of columns, less one; none where both triangles are read always.
	triangle        []triangleKernel
	triangleColumns int // up to how many columns of F it is the faster way
}

// The portable kernels: small tiles that a compiler keeps in registers.
var (
	portable64 = &kernels[float64]{rows: 2, cols: 4, lane: 4, depth: 256,
		tile: []tileKernel[float64]{tilePortable[float64]}, pack: packPortable[float64]}
	portable32 = &kernels[float32]{rows: 2, cols: 4, lane: 4, depth: exactDepth,
		tile: []tileKernel[float32]{tilePortable[float32]}, pack: packPortable[float32]}
	portableRows = &rowKernels{rows: 2, lane: 4, few: 4, add: [][]rowKernel{{}, {rowsPortable}}, widen: widenPortable}
)

func tilePortable[T float32 | float64](k int, a, b *T, alpha float64, c *float64, ldc int) {
	var c00, c01, c02, c03, c10, c11, c12, c13 T
	p, q := unsafe.Slice(a, 4*k-2), unsafe.Slice(b, 4*k)
	for i := 0; i < 4*k; i += 4 {
		u, v := p[i:i+2:i+2], q[i:i+4:i+4]
		a0, a1, b0, b1, b2, b3 := u[0], u[1], v[0], v[1], v[2], v[3]
		c00 += a0 * b0
		c01 += a0 * b1
		c02 += a0 * b2
		c03 += a0 * b3
		c10 += a1 * b0
		c11 += a1 * b1
		c12 += a1 * b2
		c13 += a1 * b3
	}
	row := unsafe.Slice(c, ldc/8+4)
	for i, x := range [...]T{c00, c01, c02, c03} {
		row[i] += alpha * float64(x)
	}
	row = row[ldc/8:]
	for i, x := range [...]T{c10, c11, c12, c13} {
		row[i] += alpha * float64(x)
	}
}

func packPortable[T float32 | float64](k int, src *T, stride int, dst *T) {
	if k == 0 {
		return
	}
	from, to := unsafe.Slice(src, (k-1)*stride+4), unsafe.Slice(dst, 4*k)
	for i := range k {
		copy(to[4*i:4*i+4], from[i*stride:])
	}
}

func rowsPortable(k int, a *float64, lda int, f, _ *float64, _ int, acc *float64) {
	stride := lda / 8
	row, cols, sum := unsafe.Slice(a, stride+k), unsafe.Slice(f, 4*k), unsafe.Slice(acc, 8)
	c00, c01, c02, c03, c10, c11, c12, c13 := sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7]
	next := row[stride : stride+k]
	for i, x := range row[:k] {
		y, v := next[i], cols[4*i:4*i+4:4*i+4]
		c00 += x * v[0]
		c01 += x * v[1]
		c02 += x * v[2]
		c03 += x * v[3]
		c10 += y * v[0]
		c11 += y * v[1]
		c12 += y * v[2]
		c13 += y * v[3]
	}
	copy(sum, []float64{c00, c01, c02, c03, c10, c11, c12, c13})
}

func widenPortable(n int, src *float32, dst *float64) {
	to := unsafe.Slice(dst, n)
	for i, x := range unsafe.Slice(src, n) {
		to[i] = float64(x)
	}
}
