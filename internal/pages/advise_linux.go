package pages

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise asks for large pages under the part of b that they can cover whole. It is a hint:
// where the system has none, nothing is lost.
func advise(b []byte) {
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (large - 1)
	if whole := (len(b) - skip) &^ (large - 1); whole > 0 {
		_ = unix.Madvise(b[skip:skip+whole], unix.MADV_HUGEPAGE)
	}
}
