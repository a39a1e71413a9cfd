package vec

import "rao/internal/linalg/cpu"

func usePath(p cpu.Path) { haveKernels = p == cpu.NEON }
