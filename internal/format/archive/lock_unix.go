//go:build unix

package archive

import (
	"os"
	"syscall"
)

// lock locks f until it is closed. Where locks are not to be had, leftovers stay.
func lock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }

// tryLock reports whether f was unlocked.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// keepOwner gives f the owner of the file that it replaces, where that is allowed.
func keepOwner(f *os.File, old os.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid()) {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

// place puts f at path and closes it, in this order: the lock keeps others from
// taking the file for a leftover.
func place(f file, path string) error {
	err := os.Rename(f.Name(), path)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
