package vec

import "rao/internal/linalg/cpu"

func usePath(p cpu.Path) { haveKernels, haveAVX512 = p >= cpu.AVX2, p >= cpu.AVX512 }
