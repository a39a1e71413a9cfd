package memory

import (
	"os"
	"runtime"
)

// Steady lets garbage grow to some tens of megabytes before it is collected, unless GOGC is set. A server holds so
// little memory that it would otherwise be collected a hundred times a second. The reserved memory is never touched,
// so it costs nothing. Call done to release it.
func Steady() (done func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	aside := make([]byte, 64<<20)
	return func() { runtime.KeepAlive(aside) }
}
