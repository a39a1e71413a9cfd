//go:build !amd64 && !arm64

package cpu

// detect returns the paths beside Portable.
func detect() []Path { return nil }
