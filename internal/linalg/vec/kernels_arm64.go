package vec

import "rao/internal/linalg/cpu"

// haveKernels reports whether the NEON kernels are in use.
var haveKernels = cpu.Use() == cpu.NEON
