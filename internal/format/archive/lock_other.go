//go:build !unix

package archive

import "os"

func lock(*os.File) {}

// tryLock always returns true: on these systems a file that a writer holds open cannot be removed.
func tryLock(*os.File) bool { return true }

func keepOwner(*os.File, os.FileInfo) {}

// place closes f, which must happen before a rename on these systems, and renames it to path.
func place(f file, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
