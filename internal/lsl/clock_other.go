//go:build !linux

package lsl

import "time"

// sinceBoot returns the initial value of [Clock], here the seconds since 1970.
func sinceBoot() float64 { return float64(time.Now().UnixMicro()) / 1e6 }
