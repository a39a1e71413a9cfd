package small

import "rao/internal/linalg/cpu"

//go:generate go run ./gen

// engineFor returns the engine of a path.
func engineFor(p cpu.Path) engine {
	switch p {
	case cpu.AVX512:
		return simd{&avx512}
	case cpu.AVX2:
		return simd{&avx2}
	}
	return portable{}
}

// kernelSet is the kernels of one instruction set; gen describes them.
type kernelSet struct {
	width           int
	pack, unpack    func(dst, src *float64, size int)
	cholesky        func(a, pivots *float64, n int)
	invertLower     func(li, l *float64, n int)
	solveLower      func(x, b, t *float64, n, row, down, across int)
	multiplyBlocks  func(args *productArgs)
	multiplyEntries func(args *productArgs)
	measure         func(a, stats *float64, n int)
	scaleLower      func(a, factors *float64, n int)
	tridiagonal     func(a, e, inverse *float64, n int)
	accumulate      func(a, d, inverse *float64, n int)
	ql              func(d, e, z, scratch *float64, n, limit int)
	qlValues        func(d, e, scratch *float64, n, limit int)
	ranks           func(places, values *float64, n int)
	gatherColumns   func(dst, z *float64, offsets *int64, n int)
	logSquares      func(dst, values *float64, n int)
}

var avx512 = kernelSet{
	8, pack8, unpack8, cholesky8, invertLower8, solveLower8, multiplyBlocks8, multiplyEntries8,
	measure8, scaleLower8, tridiagonal8, accumulate8, ql8, qlValues8,
	ranks8, gatherColumns8, logSquares8,
}

var avx2 = kernelSet{
	4, pack4, unpack4, cholesky4, invertLower4, solveLower4, multiplyBlocks4, multiplyEntries4,
	measure4, scaleLower4, tridiagonal4, accumulate4, ql4, qlValues4,
	ranks4, gatherColumns4, logSquares4,
}

// productArgs is what the multiplication kernels read; its layout is known to gen.
type productArgs struct {
	c, a, b                           *float64
	n                                 int
	aRow, aCol, bRow, bCol            int // strides of op(A) and op(B) in bytes
	lowerA, lowerB, upperB, symmetric int // 0 or 1
	_, _                              int // scratch
}
