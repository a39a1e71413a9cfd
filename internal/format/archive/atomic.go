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

// WriteFile writes the output of write to path. It writes a temporary file in the same folder, syncs it and renames it
// to path. After an error no new file is left, and an existing file at path is unchanged. Before writing, it removes
// temporary files for the same path that a crash left behind.
//
// A new file that replaces another has the mode and, if permitted, the owner of the old file. Other hard links still
// have the old content. A symbolic link is followed, even to a file that does not exist yet. Standard streams,
// terminals and devices are written directly. [Locate] describes which targets are rejected.
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

// file is the part of os.File that WriteFile needs; tests replace this type.
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
		return to.explain(path, err)
	}
	syncFolder(filepath.Dir(t.Path))
	return nil
}

// noted is a writer that records whether writing to w failed.
type noted struct {
	w      io.Writer
	failed bool
	other  bool // the function that produces the content failed, not w
}

func (n *noted) Write(p []byte) (int, error) {
	k, err := n.w.Write(p)
	n.failed = n.failed || err != nil
	return k, err
}

// produce calls write with b, which writes to n.
func (n *noted) produce(b *bufio.Writer, write func(w io.Writer) error) error {
	err := write(b)
	n.other = err != nil && !n.failed
	return err
}

// explain adds the path and a remedy to an error of writing. It does not change errors from producing the content.
func (n *noted) explain(path string, err error) error {
	if n.other {
		return err
	}
	return unwritable(path, err)
}

// fill calls write with a buffered writer to `to`, then flushes it and syncs f.
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
		return to.explain(path, err)
	}
	return nil
}

// syncFolder makes a rename durable if the system can. A failure matters only if the power fails, so it is not
// reported.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// missingFolder is the error for a file that cannot be created because its folder does not exist.
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

// unwritable describes an error of writing to path, with a remedy.
func unwritable(path string, err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch { // omits the name of the temporary file
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	remedy := ""
	switch {
	case errors.Is(err, syscall.ENOSPC):
		remedy = "; free some space or choose another place"
	case errors.Is(err, fs.ErrPermission):
		remedy = "; choose a folder that you may write to"
	case errors.Is(err, fs.ErrNotExist):
		if dir := filepath.Dir(path); isFolder(dir) {
			remedy = "; name another file"
		} else {
			err, remedy = &missingFolder{dir, err}, "; create it first, or name another file"
		}
	}
	return fmt.Errorf("cannot write %s: %w%s", path, err, remedy)
}
