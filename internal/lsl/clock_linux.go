package lsl

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot returns the initial value of [Clock]: the monotonic clock of the machine.
func sinceBoot() float64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return float64(time.Now().UnixMicro()) / 1e6
	}
	return float64(t.Sec) + float64(t.Nsec)/1e9
}
