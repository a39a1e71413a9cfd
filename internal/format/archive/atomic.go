package archive

import (
	"bufio"
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
// left and an older file at path is untouched. Temporary files that a crash left of
// the same path are removed first.
//
// A file that is replaced keeps its mode, and its owner where that is allowed; its
// other hard links keep the old content. A symbolic link is followed, also to a file
// that is not there yet. The standard streams, terminals and devices are written as
// they come; see [Locate] for what is refused.
func WriteFile(path string, write func(w io.Writer) error) error {
	return writeFile(path, write, createTemp)
}

// file is what writeFile needs of an os.File; tests replace it.
type file interface {
	io.Writer
	Sync() error
	Close() error
	Name() string
}

func writeFile(path string, write func(w io.Writer) error, create func(Target) (file, error)) error {
	t, err := Locate(path)
	if err != nil {
		return err
	}
	if t.Direct {
		return writeDirect(path, write)
	}
	removeLeftovers(t.Path)
	f, err := create(t)
	if err != nil {
		return unwritable(path, err)
	}
	if err = fill(f, write); err == nil {
		err = place(f, t.Path)
	} else {
		f.Close()
	}
	if err != nil {
		os.Remove(f.Name())
		return unwritable(path, err)
	}
	syncFolder(filepath.Dir(t.Path))
	return nil
}

// fill writes and syncs f.
func fill(f file, write func(w io.Writer) error) error {
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
	f, err := openStream(path)
	if err != nil {
		return unwritable(path, err)
	}
	b := bufio.NewWriterSize(f, 1<<18)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if f != os.Stdout && f != os.Stderr {
		if e := f.Close(); err == nil {
			err = e
		}
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
	var le *os.LinkError
	switch { // without the name of the temporary file
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	remedy := ""
	switch {
	case errors.Is(err, syscall.ENOSPC):
		remedy = "; free some space or choose another place, nothing was kept"
	case errors.Is(err, fs.ErrPermission):
		remedy = "; choose a folder that you may write to"
	case errors.Is(err, fs.ErrNotExist):
		remedy = fmt.Sprintf("; there is no folder %s; make it first, or name another file", filepath.Dir(path))
	}
	return fmt.Errorf("cannot write %s: %w%s", path, err, remedy)
}
