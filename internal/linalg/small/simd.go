//go:build amd64 || arm64

package small

import (
	"math"
	"slices"

	"rao/internal/linalg/eig"
)

//go:generate go run ./gen

// kernelSet contains the kernels of one instruction set. The files in gen describe them.
type kernelSet struct {
	width           int
	pack, unpack    func(dst, src *float64, size int)
	cholesky        func(a, pivots *float64, n int)
	invertLower     func(li, l *float64, n int)
	multiplyBlocks  func(args *productArgs)
	multiplyEntries func(args *productArgs)
	measure         func(a, stats *float64, n int)
	scaleLower      func(a, factors *float64, n int)
	tridiagonal     func(a, e, inverse *float64, n int)
	accumulate      func(a, d, inverse *float64, n int)
	ql              func(d, e, z, scratch *float64, n, limit int)
	qlValues        func(d, e, scratch *float64, n, limit int)
	scaleRows       func(dst, z, d *float64, n int)
	ranks           func(places, values *float64, n int)
	gatherColumns   func(dst, z *float64, offsets *int64, n int)
	logSquares      func(dst, values *float64, n int)
}

// productArgs is the input of the multiplication kernels. gen relies on its layout.
type productArgs struct {
	c, a, b                           *float64
	n                                 int
	aRow, aCol, bRow, bCol            int // strides of op(A) and op(B) in bytes
	lowerA, lowerB, upperB, symmetric int // 0 or 1
	_, _                              int // scratch
}

// simd runs the kernels of an instruction set with one matrix per lane, of order 1 or more.
type simd struct{ k *kernelSet }

func (s simd) lanes() int { return s.k.width }

func (s simd) pack(dst, src []float64, m int) {
	lanes := s.k.width
	if m >= lanes {
		s.k.pack(&dst[0], &src[0], m)
		return
	}
	for k := range lanes {
		for t := range m {
			dst[t*lanes+k] = src[k*m+t]
		}
	}
}

func (s simd) unpack(dst, src []float64, m int) {
	lanes := s.k.width
	if m >= lanes {
		s.k.unpack(&dst[0], &src[0], m)
		return
	}
	for k := range lanes {
		for t := range m {
			dst[k*m+t] = src[t*lanes+k]
		}
	}
}

func (s simd) cholesky(a, pivots []float64, n int) {
	s.k.cholesky(&a[0], &pivots[0], n)
}

func (s simd) invertLower(li, l []float64, n int) {
	s.k.invertLower(&li[0], &l[0], n)
}

func (s simd) multiply(p *product) {
	n, size := p.n, 8*s.k.width
	args := &p.args
	*args = productArgs{
		c: &p.c[0], a: &p.a[0], b: &p.b[0], n: n,
		aRow: n * size, aCol: size, bRow: n * size, bCol: size,
		lowerA: p.has(lowerA), lowerB: p.has(lowerB), upperB: p.has(upperB), symmetric: p.has(symmetric),
	}
	if p.transA {
		args.aRow, args.aCol = args.aCol, args.aRow
	}
	if p.transB {
		args.bRow, args.bCol = args.bCol, args.bRow
	}
	if n >= 4 {
		s.k.multiplyBlocks(args)
	} else {
		s.k.multiplyEntries(args)
	}
	*args = productArgs{} // keep no pointers
}

// has returns 1 if the property is known, and 0 otherwise.
func (p *product) has(fact structure) int {
	if p.known&fact != 0 {
		return 1
	}
	return 0
}

// eigenScratch is the scratch memory of eigen in vectors, in addition to two per row.
const eigenScratch = 2 + maxScratchVectors

// maxScratchVectors is the number of scratch vectors that the QL kernels need.
const maxScratchVectors = 5

// sweepsPerOrder times the order is the limit on QL sweeps. Fewer than two per row are needed.
const sweepsPerOrder = 30

func (s simd) eigen(w *Workspace, values, a []float64, n int, vectors bool) {
	lanes := s.k.width
	scratch := w.slot(slotEigen, (2*n+eigenScratch)*lanes)
	e, scratch := scratch[:n*lanes], scratch[n*lanes:]
	inverse, scratch := scratch[:n*lanes], scratch[n*lanes:]
	stats, scratch := scratch[:2*lanes], scratch[2*lanes:]
	unscale, scaled := s.scale(w, a, stats, n)

	if n > 1 {
		s.k.tridiagonal(&a[0], &e[0], &inverse[0], n)
		copy(e[lanes:2*lanes], a[n*lanes:])
	}
	copy(e, e[lanes:]) // from coupling i-1 and i to coupling i and i+1
	clear(e[(n-1)*lanes:])
	if vectors {
		s.k.accumulate(&a[0], &values[0], &inverse[0], n)
		s.k.ql(&values[0], &e[0], &a[0], &scratch[0], n, sweepsPerOrder*n)
	} else {
		for i := range n {
			copy(values[i*lanes:(i+1)*lanes], a[(i*n+i)*lanes:])
		}
		s.k.qlValues(&values[0], &e[0], &scratch[0], n, sweepsPerOrder*n)
	}
	for t, v := range e {
		if v != 0 {
			w.fail(t%lanes, NoConvergence, math.NaN())
		}
	}
	if scaled {
		for t := range values[:n*lanes] {
			values[t] *= unscale[t%lanes]
			if math.IsInf(values[t], 0) {
				w.fail(t%lanes, NotFinite, math.NaN())
			}
		}
	}
}

// scale sets lanes with values that are not finite to zero and marks them. It scales lanes with very large or very
// small entries. It returns the factors that undo the scaling, and whether any lane needs them.
func (s simd) scale(w *Workspace, a, stats []float64, n int) (unscale [maxLanes]float64, scaled bool) {
	lanes := s.k.width
	s.k.measure(&a[0], &stats[0], n)
	for k := range lanes {
		largest, fate := stats[k], stats[lanes+k]
		stats[k], unscale[k] = 1, 1
		if fate != 0 {
			w.fail(k, NotFinite, math.NaN())
			for t := k; t < n*n*lanes; t += lanes {
				a[t] = 0
			}
			continue
		}
		stats[k], unscale[k] = eig.Scale(largest)
		scaled = scaled || stats[k] != 1
	}
	if scaled {
		s.k.scaleLower(&a[0], &stats[0], n)
	}
	return unscale, scaled
}

func (s simd) scaleRows(dst, z, d []float64, n int) { s.k.scaleRows(&dst[0], &z[0], &d[0], n) }

func (s simd) ranks(places, values []float64, n int) { s.k.ranks(&places[0], &values[0], n) }

func (s simd) columns(dst, z []float64, order []int64, lane, n int) {
	row := int64(8 * n * s.k.width)
	for j := range order[:n] {
		order[j] *= row
	}
	s.k.gatherColumns(&dst[0], &z[lane], &order[0], n)
}

// logSquares uses math.Log for lanes with a value that is not a positive normal number.
func (s simd) logSquares(dst, values []float64, n int) {
	lanes := s.k.width
	values = values[:n*lanes]
	var left [maxLanes]bool
	var given []float64
	for t, v := range values {
		if !(v >= 0x1p-1022 && v <= math.MaxFloat64) {
			left[t%lanes] = true
			if given == nil {
				given = slices.Clone(values)
			}
		}
	}
	s.k.logSquares(&dst[0], &values[0], n)
	for k, is := range left[:lanes] {
		if !is {
			continue
		}
		for t := k; t < len(values); t += lanes {
			values[t] = given[t]
		}
		dst[k] = logSquaresOf(values[k:], lanes)
	}
}
