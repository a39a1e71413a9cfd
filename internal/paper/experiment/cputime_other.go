//go:build !unix

package experiment

import "time"

var started = time.Now()

// processorSeconds returns the time since the program started, because processor time is not available on this system.
func processorSeconds() float64 { return time.Since(started).Seconds() }
