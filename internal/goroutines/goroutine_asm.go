//go:build amd64 || arm64

package goroutines

// goroutine returns an identifier of the calling goroutine, which is unique until the goroutine ends: the address that
// the runtime stores in a register. This is much faster than parsing runtime.Stack, as on other processors, which needs
// 17 to 46 µs.
func goroutine() uintptr
