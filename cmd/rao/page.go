package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rao/internal/format/archive"
)

// makeFolder creates the folder of an output.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create folder %s: %w; choose another --out", dir, cause(err))
	}
	return archive.Probe(filepath.Join(dir, "index.html"))
}

// indent shifts the lines that print writes.
func (a *app) indent(print func()) {
	out := a.out
	var b bytes.Buffer
	a.out = &b
	print()
	a.out = out
	for _, line := range strings.Split(strings.TrimRight(b.String(), "\n"), "\n") {
		fmt.Fprintln(a.out, "  "+line)
	}
}
