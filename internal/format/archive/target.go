package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Target is the target of an output after following symbolic links.
type Target struct {
	Path   string      // not a symbolic link
	Info   os.FileInfo // information about the existing file; nil if there is none
	Direct bool        // written directly: a standard stream, a terminal or a device
}

// maxLinks limits the length of a chain of symbolic links.
const maxLinks = 40

// Locate returns the target to which [WriteFile] would write path. It returns an error for folders, and for named
// pipes, sockets and block devices, because writing to them could block or destroy data.
func Locate(path string) (Target, error) {
	if path == "" {
		return Target{}, errors.New("the name of the file to write is empty")
	}
	if _, ok := standardStream(path); ok {
		return Target{Path: path, Direct: true}, nil
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return locateNew(path)
	case err != nil:
		return Target{}, unwritable(path, err)
	case st.IsDir():
		return Target{}, fmt.Errorf("cannot write %s: it is a folder; name a file in it", path)
	case st.Mode().IsRegular() && !descriptor(path):
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return Target{}, unwritable(path, err)
		}
		return Target{Path: real, Info: st}, nil
	case st.Mode()&os.ModeCharDevice != 0, descriptor(path):
		return Target{Path: path, Info: st, Direct: true}, nil
	}
	return Target{}, fmt.Errorf("cannot write %s: it is a pipe, a socket or a device; write to a file, or to "+
		"/dev/stdout and pipe from there", path)
}

// locateNew follows symbolic links to a file that does not exist yet.
func locateNew(path string) (Target, error) {
	at := path
	for range maxLinks {
		if strings.HasSuffix(at, string(filepath.Separator)) {
			return Target{}, fmt.Errorf("cannot write %s: it names a folder; name a file in it", path)
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(at))
		if err != nil {
			return Target{}, unwritable(path, err)
		}
		at = filepath.Join(dir, filepath.Base(at))
		st, err := os.Lstat(at)
		if err != nil || st.Mode()&os.ModeSymlink == 0 {
			return Target{Path: at}, nil
		}
		to, err := os.Readlink(at)
		if err != nil {
			return Target{}, unwritable(path, err)
		}
		if !filepath.IsAbs(to) {
			to = dir + string(filepath.Separator) + to
		}
		at = to
	}
	return Target{}, fmt.Errorf("cannot write %s: its symbolic links form a loop; name another file", path)
}

// descriptor reports whether path names an open file of this process.
func descriptor(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// standardStream returns standard output or standard error if path names it.
func standardStream(path string) (*os.File, bool) {
	if path == "-" {
		return os.Stdout, true
	}
	switch filepath.ToSlash(filepath.Clean(path)) {
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		return os.Stdout, true
	case "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2":
		return os.Stderr, true
	}
	return nil, false
}

// IsStdout reports whether path names standard output.
func IsStdout(path string) bool {
	f, _ := standardStream(path)
	return f == os.Stdout
}

// openStream opens a target that is written directly.
func openStream(path string) (*os.File, error) {
	if f, ok := standardStream(path); ok {
		return f, nil
	}
	return os.OpenFile(path, os.O_WRONLY, 0)
}

// Create opens path for output that must be visible from the first byte on, such as a log. It writes without a
// temporary file and truncates an existing file.
func Create(path string) (io.WriteCloser, error) {
	t, err := Locate(path)
	if err != nil {
		return nil, err
	}
	if f, ok := standardStream(path); ok {
		return keptOpen{f}, nil
	}
	mode := os.O_WRONLY
	if !t.Direct {
		mode |= os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(t.Path, mode, 0o666)
	if err != nil {
		return nil, unwritable(path, err)
	}
	return f, nil
}

// keptOpen is a standard stream. Close does nothing, because other code may still write to the stream.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// Probe returns an error if a file could not be written to path. Call it before a long computation with output to path.
// It leaves no file.
func Probe(path string) error {
	t, err := Locate(path)
	if err != nil || t.Direct {
		return err
	}
	removeLeftovers(t.Path)
	f, err := createTemp(t)
	if err != nil {
		return unwritable(path, err)
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return unwritable(path, err)
	}
	return nil
}
