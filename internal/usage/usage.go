// Package usage reports the memory and processor time of the process, if the system provides them.
package usage

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// ticks is the number of units of processor time per second. It is the same on every Linux system that Go supports.
const ticks = 100

// ResetPeak makes [Peak] measure from the current memory on, if the system supports it.
func ResetPeak() {
	runtime.GC()
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// Peak returns the peak memory of the process in bytes, or 0 if unknown.
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

// ProcessorOf is [Processor] of another process, on Linux.
func ProcessorOf(process int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ") // skips the name of the program
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	return (user + system) / ticks
}
