//go:build !amd64 && !arm64

package cpu

// detect returns the available paths other than Portable.
func detect() []Path { return nil }
