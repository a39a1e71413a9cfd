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

// WriteBytes writes b to path as [WriteFile] does.
func WriteBytes(path string, b []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
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
	to := &noted{w: f}
	if err = fill(f, to, write); err == nil {
		err = place(f, t.Path)
	} else {
		f.Close()
	}
	if err != nil {
		os.Remove(f.Name())
		return to.word(path, err)
	}
	syncFolder(filepath.Dir(t.Path))
	return nil
}

// noted remembers whether the writer behind it failed.
type noted struct {
	w      io.Writer
	failed bool
	other  bool // what failed was what produces the content
}

func (n *noted) Write(p []byte) (int, error) {
	k, err := n.w.Write(p)
	n.failed = n.failed || err != nil
	return k, err
}

// produce lets write fill b, which writes to n.
func (n *noted) produce(b *bufio.Writer, write func(w io.Writer) error) error {
	err := write(b)
	n.other = err != nil && !n.failed
	return err
}

// word words an error: what could not be produced speaks for itself.
func (n *noted) word(path string, err error) error {
	if n.other {
		return err
	}
	return unwritable(path, err)
}

// fill writes through to and syncs f.
func fill(f file, to *noted, write func(w io.Writer) error) error {
	b := bufio.NewWriterSize(to, 1<<18)
	if err := to.produce(b, write); err != nil {
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
	to := &noted{w: f}
	b := bufio.NewWriterSize(to, 1<<18)
	if err = to.produce(b, write); err == nil {
		err = b.Flush()
	}
	if f != os.Stdout && f != os.Stderr {
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		return to.word(path, err)
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

// missingFolder is a file that was not found because its folder is not there.
type missingFolder struct {
	dir string
	err error
}

func (m *missingFolder) Error() string { return "there is no folder " + m.dir }
func (m *missingFolder) Unwrap() error { return m.err }

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
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
		if dir := filepath.Dir(path); isFolder(dir) {
			remedy = "; name another file"
		} else {
			err, remedy = &missingFolder{dir, err}, "; make it first, or name another file"
		}
	}
	return fmt.Errorf("cannot write %s: %w%s", path, err, remedy)
}
