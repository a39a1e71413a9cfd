package dense

import (
	"math"
	"slices"
	"unsafe"

	"rao/internal/linalg/cpu"
	"rao/internal/par"
)

// wholeKernels multiply integers from 0 to 255, such as pixels, as bytes: a panel packs four rows as one. The sums are
// exact, so they have the same bits as the sums in single precision.
type wholeKernels struct {
	kernels[float32] // operate on quads of rows
	gatherQuads      []quadKernel
	gatherBytes      []byteKernel

	// differ finds the columns that vary in rows of bytes, and compress copies them. Both are nil if the processor
	// lacks the instructions.
	differ   func(count int, rows *[]byte, at int, about, seen *byte)
	compress func(count int, rows *[]byte, length int, masks, others *uint64, about, dst *byte, stride int,
		flags *byte)
}

// quadKernel is a gatherKernel for quads of rows. It writes the sums of the columns, and sets odd unless all values
// are integers from 0 to 255.
type quadKernel func(quads int, rows *[]float32, at int, dst *float32, sum *int32, odd *int64)

// byteKernel is a quadKernel for rows of bytes.
type byteKernel func(quads int, rows *[]byte, at int, dst *float32, sum *int32)

// A panel of quads begins with headRows rows of integers; see gen/whole.go.
const (
	headRows   = 4
	wholeDepth = 1024 // rows per round; their sums fit in 32 bits
	wholeCols  = 48   // columns of the widest panel
)

// AddBytes is [Centered.Add] for rows of bytes, which it multiplies as bytes. If the processor does not support byte
// products, or a value of the pivot is not an integer from 0 to 255, it adds nothing and returns false.
func AddBytes(s *Centered[float32], x [][]byte, pivot []float32, sum, c []float64, ldc int) bool {
	checkCentered(x, len(pivot), sum, c, ldc)
	g := kernels32(cpu.Use()).whole
	if g == nil || !areBytes(pivot) {
		return false
	}
	if len(pivot) == 0 || len(x) == 0 {
		return true
	}
	if g.compress != nil && addVarying(s, g, x, pivot, sum, c, ldc) {
		return true
	}
	addWhole(s, g, x, pivot, sum, c, ldc)
	return true
}

// addWhole is addRows for a pivot and rows of integers. It stops before the first round of wholeDepth rows that
// contains other values, and returns the number of rows that it added. The caller adds the remaining rows with addRows.
func addWhole[T float32 | byte](s *Centered[float32], g *wholeKernels, x [][]T, pivot []float32, sum, c []float64,
	ldc int) (taken int) {
	n, r, rounds := len(pivot), &s.rows, par.Chunks(len(x), wholeDepth)
	r.reset(len(x), pivot, wholeDepth)
	quads := append(make([][]T, 0, len(x)+3), x...)
	for zeros := make([]T, n); len(quads)%4 != 0; {
		quads = append(quads, zeros)
	}
	r.panel = func(lo, round int, dst []float32) {
		first := round * wholeDepth
		packQuads(g, r, lo, round, quads[first:min(first+wholeDepth, len(quads))], min(wholeDepth, len(x)-first), dst)
	}
	runPipeline(&pipeline[float32]{kernels: &g.kernels,
		target: target{alpha: 1, c: c, ldc: ldc, m: n, n: n, upper: true},
		k:      len(quads)/4 + rounds*headRows, r1: n, c1: n, rows: r}, false)
	r.panel = nil
	for round := range r.odd {
		if r.odd[round].Load() {
			return round * wholeDepth
		}
		r.addSums(round, sum)
	}
	return len(x)
}

// packQuads packs the panel of a round that starts at column lo. x has count rows, followed by rows of zeros up to a
// multiple of four. If a value is not an integer from 0 to 255, it marks the round as odd instead.
func packQuads[T float32 | byte](g *wholeKernels, r *rows[float32], lo, round int, x [][]T, count int, dst []float32) {
	n, cols := len(r.pivot), g.cols
	values := unsafe.Slice((*int32)(unsafe.Pointer(&dst[0])), len(dst))
	head, quads := values[:headRows*cols], values[headRows*cols:]
	var sums [wholeCols]int32
	var odd int64
	width := (min(lo+cols, n) - lo) / g.lane
	if width > 0 {
		switch x := any(x).(type) {
		case [][]float32:
			g.gatherQuads[width-1](len(x)/4, &x[0], 4*lo, &dst[headRows*cols], &sums[0], &odd)
		case [][]byte:
			g.gatherBytes[width-1](len(x)/4, &x[0], lo, &dst[headRows*cols], &sums[0])
		}
	}
	for j := width * g.lane; j < cols; j++ {
		if lo+j >= n {
			for q := range len(x) / 4 {
				quads[q*cols+j] = 0
			}
		} else if !gatherQuads(x, lo+j, quads[j:], cols, &sums[j]) {
			odd = 1
		}
	}
	if odd != 0 {
		r.odd[round].Store(true)
		return
	}
	clear(head)
	for j, p := range r.pivot[lo:min(lo+cols, n)] {
		pivot := int32(p)
		centered := sums[j] - int32(count)*pivot
		head[j], head[cols+j], head[2*cols+j], head[3*cols+j] = sums[j], 128-pivot, centered, -pivot
		r.sums[round*n+lo+j] = float64(centered)
	}
}

// gatherQuads packs column j and reports whether all its values are integers from 0 to 255.
func gatherQuads[T float32 | byte](x [][]T, j int, dst []int32, cols int, sum *int32) bool {
	for q := range len(x) / 4 {
		var quad uint32
		for i, row := range x[4*q : 4*q+4] {
			if !isByte(float32(row[j])) {
				return false
			}
			quad |= uint32(row[j]) << (8 * i)
			*sum += int32(row[j])
		}
		dst[q*cols] = int32(quad)
	}
	return true
}

// isByte reports whether a value is an integer from 0 to 255.
func isByte(v float32) bool { return v >= 0 && v <= 255 && float64(v) == math.Trunc(float64(v)) }

// wholeKernelsFor returns the kernels for the rows of s minus a pivot, or nil if the processor has none or a value of
// the pivot is not an integer from 0 to 255.
func wholeKernelsFor(path cpu.Path, s *Centered[float32], pivot []float32) *wholeKernels {
	g := kernels32(path).whole
	if g == nil || s.fractions || !areBytes(pivot) {
		return nil
	}
	return g
}

func areBytes(v []float32) bool {
	return !slices.ContainsFunc(v, func(x float32) bool { return !isByte(x) })
}
