//go:build !unix

package experiment

import "time"

var started = time.Now()

// processorSeconds returns the time since the program began, where processor time is not known.
func processorSeconds() float64 { return time.Since(started).Seconds() }
