package archive

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// WriteFile writes what write produces to path: into a temporary file in the same
// folder, which is synced and renamed to path at the end. On any error no file is
// left and an older file at path is untouched. A path that exists and is not a
// regular file, such as /dev/stdout, is written directly. A symbolic link is
// followed.
func WriteFile(path string, write func(w io.Writer) error) error {
	return writeFile(path, write, createExclusive)
}

// file is what writeFile needs of an os.File; tests replace it.
type file interface {
	io.Writer
	Sync() error
	Close() error
}

func createExclusive(path string) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

func writeFile(path string, write func(w io.Writer) error, create func(string) (file, error)) error {
	if st, err := os.Stat(path); err == nil {
		if st.IsDir() {
			return fmt.Errorf("cannot write %s: it is a folder; name a file in it", path)
		}
		if !st.Mode().IsRegular() {
			return writeDirect(path, write)
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	temp := fmt.Sprintf("%s.%s.tmp", path, rand.Text()[:8])
	f, err := create(temp)
	if err != nil {
		return unwritable(path, err)
	}
	err = fill(f, write)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
		return unwritable(path, err)
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// fill writes, syncs and closes f.
func fill(f file, write func(w io.Writer) error) (err error) {
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	b := bufio.NewWriterSize(f, 1<<18)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

func writeDirect(path string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return unwritable(path, err)
	}
	b := bufio.NewWriterSize(f, 1<<18)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return unwritable(path, err)
	}
	return nil
}

// syncFolder makes a rename durable where the system can; a failure costs only
// durability against a power cut, so it is not reported.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// unwritable words an error of writing path, with the remedy.
func unwritable(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // without the name of the temporary file
	}
	remedy := ""
	switch {
	case errors.Is(err, syscall.ENOSPC):
		remedy = "; free some space or choose another place, nothing was kept"
	case errors.Is(err, fs.ErrPermission):
		remedy = "; choose a folder that you may write to"
	case errors.Is(err, fs.ErrNotExist):
		remedy = "; create the folder first"
	}
	return fmt.Errorf("cannot write %s: %w%s", path, err, remedy)
}
