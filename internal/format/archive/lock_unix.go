//go:build unix

package archive

import (
	"os"
	"syscall"
)

// lock locks f until it is closed. A failure is ignored; leftover files are then not removed.
func lock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }

// tryLock locks f and reports whether that was possible at once.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// keepOwner gives f the owner of the replaced file, if permitted.
func keepOwner(f *os.File, old os.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid()) {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

// place renames f to path and then closes it. Until then, the lock prevents other writers from removing f as a
// leftover.
func place(f file, path string) error {
	err := os.Rename(f.Name(), path)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
