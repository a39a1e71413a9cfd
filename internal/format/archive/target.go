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

// Target is where an output goes once symbolic links are followed.
type Target struct {
	Path   string      // without symbolic links at its end
	Info   os.FileInfo // of the file that is there, nil for none
	Direct bool        // written as it comes: a standard stream, a terminal, a device
}

// maxLinks bounds a chain of symbolic links.
const maxLinks = 40

// Locate finds where [WriteFile] would write path. It refuses folders, and also named pipes, sockets and block
// devices, because a write to them could block or destroy data.
func Locate(path string) (Target, error) {
	if path == "" {
		return Target{}, errors.New("cannot write a file without a name")
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
	return Target{}, fmt.Errorf("cannot write %s: it is a pipe, a socket or a disk; write to a file, or to "+
		"/dev/stdout and pipe that on", path)
}

// locateNew follows symbolic links to a file that is not there yet.
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

// standardStream returns standard output or standard error where path names it.
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

// openStream opens what is written as it comes.
func openStream(path string) (*os.File, error) {
	if f, ok := standardStream(path); ok {
		return f, nil
	}
	return os.OpenFile(path, os.O_WRONLY, 0)
}

// Create opens path for what must be there from the first byte on, such as a log: it is written
// where it stays, with no temporary file, and what was there is emptied.
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

// keptOpen is a standard stream, which others go on writing to.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// Probe returns an error if a file could not be written to path: a long run that
// would fail at its end fails before its start. Nothing is left behind.
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
