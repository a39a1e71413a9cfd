package dense

import "unsafe"

// exactDepth is the number of products that are summed in single precision before the sum is added in double
// precision. 256·255² is below 2²⁴, so sums of products of integers up to 255 are exact.
const exactDepth = 256

// kernels are the inner loops of the packed products, for one element type and one instruction set. Matrices are cut
// into blocks of depth values of k, and blocks into panels. For every k, a panel holds cols neighboring elements,
// padded with zeros at the edge of the matrix. cols is a multiple of rows.
type kernels[T float32 | float64] struct {
	rows, cols int             // size of a tile of C
	lane       int             // columns per vector
	depth      int             // largest k of a panel
	tile       []tileKernel[T] // by number of vectors minus one; the last has cols columns
	// pack copies k rows of cols elements, stride elements apart, to a panel.
	pack func(k int, src *T, stride int, dst *T)
	// gather is indexed by the number of vectors minus one. It is nil for portable kernels.
	gather []gatherKernel[T]
	// whole multiplies integers from 0 to 255 stored as float32. It is nil if the processor does not support byte
	// products.
	whole *wholeKernels
}

// gatherKernel packs some vectors of columns of k rows, starting at byte at of each row, into a panel, minus the
// pivot. It writes the sums of the columns and their largest magnitudes.
type gatherKernel[T float32 | float64] func(k int, rows *[]T, at int, pivot, dst *T, sum *float64, largest *T)

// tileKernel adds alpha A'B to the tile C; ldc is the row stride of C in bytes. a and b point to the tile's first row
// and column in their panels.
type tileKernel[T float32 | float64] func(k int, a, b *T, alpha float64, c *float64, ldc int)

// rowKernel adds A F to acc for a block of rows of A, read in place; lda is the row stride in bytes. F is packed: f
// holds full vectors of columns for every k, and dots holds a few single columns, ldd bytes apart. For every row, acc
// holds the sums for the vectors, and then partial sums for each single column, which the caller still has to add.
type rowKernel func(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)

// triangleKernel multiplies a row of k square blocks A_J of a symmetric matrix, read in place, and adds the products to
// the values of its rows and, with A_J', to the values of its columns:
//
//	Y_I += A_J F_J, Y_J += A_J' F_I.
//
// lda is the row stride in bytes. A block has triangleLane rows. For each block, F and Y contain triangleLane values of
// each of the kernel's columns. fj and yj point to the values of the first of the k blocks, which are step bytes apart;
// fi and yi point to the values of the rows. The kernel also prefetches some rows of the k blocks at ahead.
type triangleKernel func(k int, a *float64, lda int, fj, yj, fi, yi *float64, step int, ahead *float64)

// rowKernels are the inner loops of products with few columns.
type rowKernels struct {
	rows int // number of rows of A in a block
	lane int // columns per vector
	// few, singles and partial determine how columns are summed, and so the bits. Columns are cut into vectors of few
	// columns. Up to singles minus the number of these vectors, the remaining columns are summed one by one, each in
	// partial sums.
	few, singles, partial int

	add [][]rowKernel // by number of vectors and of single columns; nil if two calls are needed
	// triangle is indexed by the number of columns minus one. It is empty if both triangles are always read.
	triangle        []triangleKernel
	triangleColumns int // largest number of columns of F for which it is faster
}

// The portable kernels use small tiles that a compiler keeps in registers.
var (
	portable64 = &kernels[float64]{rows: 2, cols: 4, lane: 4, depth: 256,
		tile: []tileKernel[float64]{tilePortable[float64]}, pack: packPortable[float64]}
	portable32 = &kernels[float32]{rows: 2, cols: 4, lane: 4, depth: exactDepth,
		tile: []tileKernel[float32]{tilePortable[float32]}, pack: packPortable[float32]}
	portableRows = &rowKernels{rows: 2, lane: 4, few: 4, add: [][]rowKernel{{}, {rowsPortable}}}
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
