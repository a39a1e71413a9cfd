//go:build !unix

package usage

// Processor returns 0, because the processor time is not available.
func Processor() float64 { return 0 }
