// Package resources reports what the process has taken of the machine, as far as the system says.
package resources

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// ticks is the number of units of processor time in a second on every Linux that Go knows.
const ticks = 100

// ResetPeak makes [Peak] that of from now on, where the system allows it.
func ResetPeak() {
	runtime.GC()
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// Peak returns the most memory that the process held, in bytes; 0 where it is not known.
func Peak() float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			kib, _ := strconv.ParseFloat(f[1], 64)
			return kib * 1024
		}
	}
	return 0
}

// Processor returns the seconds of processors that all threads of the process took, of the
// user and of the system; 0 where they are not known.
func Processor() float64 {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ") // after the name of the program
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	return (user + system) / ticks
}
