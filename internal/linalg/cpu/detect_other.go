//go:build !amd64 && !arm64

package cpu

// detect returns the paths besides Portable.
func detect() []Path { return nil }
