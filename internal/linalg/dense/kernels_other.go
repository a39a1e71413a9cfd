//go:build !amd64 && !arm64

package dense

import "rao/internal/linalg/cpu"

func kernels64(cpu.Path) *kernels[float64] { return portable64 }
func kernels32(cpu.Path) *kernels[float32] { return portable32 }
func rowKernelsOf(cpu.Path) *rowKernels    { return portableRows }
func vectors64(cpu.Path) *vectors[float64] { return portableVectors64 }
func vectors32(cpu.Path) *vectors[float32] { return portableVectors32 }
