//go:build !amd64 && !arm64

package limit

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutine identifies the goroutine that calls, until it ends, by the number in "goroutine 7 [running]: ...".
func goroutine() uintptr {
	var buf [64]byte
	fields := bytes.Fields(buf[:runtime.Stack(buf[:], false)])
	n, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		panic("limit: the runtime prints goroutines in another way: " + err.Error())
	}
	return uintptr(n)
}
