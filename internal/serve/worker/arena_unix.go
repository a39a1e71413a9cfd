//go:build linux || darwin

package worker

import (
	"errors"

	"golang.org/x/sys/unix"
)

// MapArena returns a function that maps the file of an inherited descriptor; see [Options].
func MapArena(descriptor uintptr) func(size int64) ([]byte, error) {
	var mapped []byte
	return func(size int64) ([]byte, error) {
		if mapped != nil {
			if err := unix.Munmap(mapped); err != nil {
				return nil, err
			}
			mapped = nil
		}
		if size == 0 {
			return nil, nil
		}
		var st unix.Stat_t
		if err := unix.Fstat(int(descriptor), &st); err != nil {
			return nil, err
		}
		if size != int64(int(size)) || st.Size < size {
			// Reading beyond the end of the file would kill the process.
			return nil, errors.New("the shared memory is shorter than the request says")
		}
		var err error
		mapped, err = unix.Mmap(int(descriptor), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		return mapped, err
	}
}
