package memory

import (
	"os"
	"runtime"
)

// Steady lets garbage grow to some tens of megabytes before it is collected, where GOGC says
// nothing: the little that a server holds would otherwise have it collected a hundred times a
// second. What is set aside is never touched and takes no memory.
func Steady() (done func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	aside := make([]byte, 64<<20)
	return func() { runtime.KeepAlive(aside) }
}
