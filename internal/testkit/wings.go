package testkit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Wing is an optional part of the project. The core builds without it.
type Wing struct {
	Name    string
	Paths   []string // folders, and files of programs outside the wing that import it
	Deleted bool
}

// ReadWings reads .ci/wings. root is the folder of the project.
func ReadWings(t testing.TB, root string) (list []Wing) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, ".ci/wings"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if name, paths, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			list = append(list, Wing{Name: name, Paths: strings.Fields(paths)})
		}
	}
	if len(list) == 0 {
		t.Fatal(".ci/wings lists no wings")
	}
	absent := func(p string) bool {
		_, err := os.Stat(filepath.Join(root, p))
		return err != nil
	}
	for i := range list {
		list[i].Deleted = !slices.ContainsFunc(list[i].Paths, func(p string) bool { return !absent(p) })
	}
	for _, w := range list {
		for _, p := range w.Paths {
			if absent(p) && !slices.ContainsFunc(WingsOf(list, p), func(of Wing) bool { return of.Deleted }) {
				t.Errorf("%s of the wing %s in .ci/wings is not there", p, w.Name)
			}
		}
	}
	return list
}

// WithoutWing reports whether a wing was deleted. Pages may then mention tests and commands that do not exist.
func WithoutWing(t testing.TB, root string) bool {
	t.Helper()
	return slices.ContainsFunc(ReadWings(t, root), func(w Wing) bool { return w.Deleted })
}

// WingsOf returns the wings that a file or a package belongs to. The file is deleted if any of these wings is deleted.
// Files of the core do not belong to a wing.
func WingsOf(wings []Wing, file string) (of []Wing) {
	for _, w := range wings {
		if slices.ContainsFunc(w.Paths, func(p string) bool { return file == p || strings.HasPrefix(file, p+"/") }) {
			of = append(of, w)
		}
	}
	return of
}
