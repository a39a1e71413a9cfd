package hugepages

import "golang.org/x/sys/unix"

// advise asks for large pages for b, which covers complete large pages. The request is a hint, which has no effect if
// the system has no large pages.
func advise(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
