//go:build !unix

package archive

import "os"

func lock(*os.File) {}

// tryLock always returns true. On these systems, a file that a writer has open cannot be removed.
func tryLock(*os.File) bool { return true }

func keepOwner(*os.File, os.FileInfo) {}

// place closes f, as these systems require before a rename, and renames it to path.
func place(f file, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
