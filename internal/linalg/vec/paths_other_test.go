//go:build !amd64 && !arm64

package vec

import "rao/internal/linalg/cpu"

func usePath(cpu.Path) {}
