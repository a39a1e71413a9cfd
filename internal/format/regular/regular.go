// Package regular opens regular files. It rejects other files, such as pipes, because reading them could block forever.
package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Open opens a regular file, or a link to one. It returns an error for anything else, including folders.
func Open(path string) (*os.File, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Check returns the error that [Open] would return.
func Check(path string) error {
	st, err := os.Stat(path)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return fmt.Errorf("%s: %w", path.Path, path.Err) // omits the name of the system call
	} else if err != nil {
		return err
	}
	what := ""
	switch mode := st.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%s is a folder, but a file is needed; name a file in it", path)
	case mode&fs.ModeNamedPipe != 0:
		what = "it is a pipe, but files are read more than once; save its output to a file"
	default:
		what = "it is neither a file nor a folder; remove it, or name another"
	}
	return &fs.PathError{Op: "open", Path: path, Err: errors.New(what)}
}

// Is reports whether a directory entry is a regular file, or a link to one.
func Is(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// EscapeGlob escapes the special characters of filepath.Glob. Windows has no escape character, so folders with special
// characters are not searched there.
func EscapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
