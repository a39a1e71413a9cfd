package small

import "rao/internal/linalg/cpu"

func engineFor(p cpu.Path) engine {
	switch p {
	case cpu.AVX512:
		return simd{&avx512}
	case cpu.AVX2:
		return simd{&avx2}
	}
	return portable{}
}

var avx512 = kernelSet{
	8, pack8, unpack8, cholesky8, invertLower8, multiplyBlocks8, multiplyEntries8,
	measure8, scaleLower8, tridiagonal8, accumulate8, ql8, qlValues8,
	scaleRows8, ranks8, gatherColumns8, logSquares8,
}

var avx2 = kernelSet{
	4, pack4, unpack4, cholesky4, invertLower4, multiplyBlocks4, multiplyEntries4,
	measure4, scaleLower4, tridiagonal4, accumulate4, ql4, qlValues4,
	scaleRows4, ranks4, gatherColumns4, logSquares4,
}
