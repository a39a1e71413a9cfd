//go:build !amd64 && !arm64

package goroutines

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutine returns an identifier of the calling goroutine, which is unique until the goroutine ends: the number in
// "goroutine 7 [running]: ...".
func goroutine() uintptr {
	var buf [64]byte
	fields := bytes.Fields(buf[:runtime.Stack(buf[:], false)])
	n, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		panic("goroutines: the runtime prints goroutines in another way: " + err.Error())
	}
	return uintptr(n)
}
