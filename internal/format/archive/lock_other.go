//go:build !unix

package archive

import "os"

func lock(*os.File) {}

// tryLock says yes: a file that a writer holds open cannot be removed here.
func tryLock(*os.File) bool { return true }

func keepOwner(*os.File, os.FileInfo) {}

// place closes f, as a rename needs here, and puts it at path.
func place(f file, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
