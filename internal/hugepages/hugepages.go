// Package hugepages requests large pages for large arrays. Fresh memory causes a page fault at the first access to each
// page, and threads that cause page faults at the same time wait for each other: on a virtual machine with two threads,
// each 4 KiB page cost 14 µs. Class statistics of MNIST, with pixels as fractions in float32, needed 260 to 430 ms in
// fresh memory and 189 ms in large pages (docs/performance.md).
package hugepages

import "unsafe"

// large is the size of the requested pages in bytes.
const large = 2 << 20

// Make returns a slice of n zeros, like make. From 2 MiB on, the slice starts at a multiple of 2 MiB and is entirely in
// large pages if the system supports them. This needs up to 4 MiB of additional memory.
func Make[T byte | float32 | float64](n int) []T {
	var zero T
	unit := int(unsafe.Sizeof(zero))
	if n < large/unit {
		return make([]T, n)
	}
	whole := (n + large/unit - 1) &^ (large/unit - 1)
	s := make([]T, whole+large/unit)
	if skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) & (large - 1); skip > 0 {
		s = s[skip/unit:]
	}
	advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), whole*unit))
	return s[:n:n]
}
