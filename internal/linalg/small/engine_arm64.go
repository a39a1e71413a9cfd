package small

import "rao/internal/linalg/cpu"

func engineFor(p cpu.Path) engine {
	if p == cpu.NEON {
		return simd{&neon}
	}
	return portable{}
}

var neon = kernelSet{
	2, pack2, unpack2, cholesky2, invertLower2, multiplyBlocks2, multiplyEntries2,
	measure2, scaleLower2, tridiagonal2, accumulate2, ql2, qlValues2,
	scaleRows2, ranks2, gatherColumns2, logSquares2,
}
