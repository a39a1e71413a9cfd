//go:build !amd64 && !arm64

package small

import "rao/internal/linalg/cpu"

func engineFor(cpu.Path) engine { return portable{} }

// productArgs is used by assembly only.
type productArgs struct{}
