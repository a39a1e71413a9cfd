package hugepages

import "golang.org/x/sys/unix"

// advise asks for large pages for b, which covers complete large pages. It is a hint, and has no effect if the system
// has no large pages.
func advise(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
