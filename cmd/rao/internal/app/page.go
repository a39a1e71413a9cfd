package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rao/internal/format/archive"
)

// MakeFolder creates an output folder and its parents, and checks that files can be written there.
func MakeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot create folder %s: %w; choose another --out", dir, cause(err))
	}
	return archive.Probe(filepath.Join(dir, "index.html"))
}

// Indent runs print and indents every line that print writes to standard output.
func (a *App) Indent(print func()) {
	out := a.Out
	var b bytes.Buffer
	a.Out = &b
	print()
	a.Out = out
	for _, line := range strings.Split(strings.TrimRight(b.String(), "\n"), "\n") {
		fmt.Fprintln(a.Out, "  "+line)
	}
}
