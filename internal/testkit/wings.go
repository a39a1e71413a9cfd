package testkit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Wing is a part of the project that can be deleted.
type Wing struct {
	Name    string
	Paths   []string // folders, and files of programs outside it that import it
	Deleted bool
}

// ReadWings reads .ci/wings. The root is the folder of the project.
func ReadWings(t testing.TB, root string) (list []Wing) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, ".ci/wings"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		name, paths, ok := strings.Cut(line, ":")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		w := Wing{Name: name, Paths: strings.Fields(paths)}
		absent := 0
		for _, p := range w.Paths {
			if _, err := os.Stat(filepath.Join(root, p)); err != nil {
				absent++
			}
		}
		if w.Deleted = absent == len(w.Paths); absent > 0 && !w.Deleted {
			t.Errorf("%d paths of the wing %s in .ci/wings are not there", absent, name)
		}
		list = append(list, w)
	}
	if len(list) == 0 {
		t.Fatal(".ci/wings lists no wings")
	}
	return list
}

// WithoutWing reports whether a wing was deleted: then pages name tests and commands that are not there.
func WithoutWing(t testing.TB, root string) bool {
	t.Helper()
	return slices.ContainsFunc(ReadWings(t, root), func(w Wing) bool { return w.Deleted })
}

// WingOf returns the wing that a file or a package belongs to; that of the core has no name. A folder
// inside another belongs to the wing that lists it.
func WingOf(wings []Wing, file string) (of Wing) {
	longest := 0
	for _, w := range wings {
		for _, p := range w.Paths {
			if (file == p || strings.HasPrefix(file, p+"/")) && len(p) > longest {
				of, longest = w, len(p)
			}
		}
	}
	return of
}
