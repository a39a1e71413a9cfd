//go:build !amd64 && !arm64

package small

import "rao/internal/linalg/cpu"

// engineFor returns the engine of a path.
func engineFor(cpu.Path) engine { return portable{} }

// productArgs is used by assembly only.
type productArgs struct{}
