package memory

import (
	"os"
	"runtime"
)

// Steady lets garbage grow to some tens of megabytes before it is collected, unless GOGC is set. Without Steady, a
// server with little memory would run the garbage collector a hundred times per second. Steady reserves memory, which
// is never accessed and therefore not used. Call done to release it.
func Steady() (done func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	aside := make([]byte, 64<<20)
	return func() { runtime.KeepAlive(aside) }
}
