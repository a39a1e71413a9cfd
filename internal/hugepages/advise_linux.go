package hugepages

import "golang.org/x/sys/unix"

// advise asks for large pages under b, which is made of such. It is a hint: where the system has
// none, nothing is lost.
func advise(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
