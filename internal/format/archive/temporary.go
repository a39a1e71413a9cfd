package archive

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The name of a temporary file contains a digest of the last element of the path. A later write can therefore find
// files that a crash left behind, and the name is valid even if the last element has the maximum length. A file that is
// being written is locked, so a file that can be locked is a leftover.

// tempPrefix returns the start of the names of temporary files for path.
func tempPrefix(path string) string {
	sum := sha256.Sum256([]byte(filepath.Base(path)))
	return ".rao-" + hex.EncodeToString(sum[:6]) + "-"
}

const tempSuffix = ".tmp"

// createTemp creates and locks a temporary file for t, with the mode and the owner of the file that it will replace.
func createTemp(t Target) (file, error) {
	mode := fs.FileMode(0o666)
	if t.Info != nil {
		mode = 0o600
	}
	for {
		name := fmt.Sprintf("%s%d-%s%s", tempPrefix(t.Path), os.Getpid(), rand.Text()[:8], tempSuffix)
		f, err := os.OpenFile(filepath.Join(filepath.Dir(t.Path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, err
		}
		lock(f)
		if _, err := os.Stat(f.Name()); errors.Is(err, fs.ErrNotExist) {
			f.Close() // another writer removed it as a leftover before it was locked
			continue
		}
		if t.Info != nil {
			keepOwner(f, t.Info)
			if err := f.Chmod(t.Info.Mode().Perm()); err != nil {
				f.Close()
				os.Remove(f.Name())
				return nil, err
			}
		}
		return f, nil
	}
}

// removeLeftovers removes temporary files for path that crashes left behind.
func removeLeftovers(path string) {
	for _, name := range temporaries(path, tempPrefix(path)) {
		if f, err := os.Open(name); err == nil {
			if tryLock(f) {
				os.Remove(name)
			}
			f.Close()
		}
	}
}

// Abandon removes the temporary file that this process is writing for path. Call it in a program that exits during a
// write.
func Abandon(path string) {
	t, err := Locate(path)
	if err != nil || t.Direct {
		return
	}
	for _, name := range temporaries(t.Path, fmt.Sprintf("%s%d-", tempPrefix(t.Path), os.Getpid())) {
		os.Remove(name)
	}
}

// temporaries returns the temporary files next to path with names that start with prefix.
func temporaries(path, prefix string) []string {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var out []string
	for _, n := range names {
		if strings.HasPrefix(n, prefix) && strings.HasSuffix(n, tempSuffix) {
			out = append(out, filepath.Join(filepath.Dir(path), n))
		}
	}
	return out
}
