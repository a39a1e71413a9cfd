//go:build unix

package usage

import "syscall"

// Processor returns the processor time of all threads of the process, user and system, in seconds, or 0 if unknown.
func Processor() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
