//go:build unix

package archive

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rao/internal/testkit"
)

func written(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func put(t *testing.T, path, s string, mode os.FileMode) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(path, []byte(s), mode))
	testkit.NoError(t, os.Chmod(path, mode))
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != want {
		t.Errorf("%s holds %q (%v), want %q", path, b, err, want)
	}
}

// A file keeps its permissions when it is replaced: a private file stays private, and a read-only file stays read-only.
func TestReplacedFileKeepsItsMode(t *testing.T) {
	dir := t.TempDir()
	for _, mode := range []os.FileMode{0o600, 0o400, 0o640, 0o444, 0o755} {
		path := filepath.Join(dir, fmt.Sprint(mode))
		put(t, path, "old", mode)
		testkit.NoError(t, WriteFile(path, func(w io.Writer) error {
			for _, name := range temporaries(path, tempPrefix(path)) {
				if st, err := os.Stat(name); err != nil || st.Mode().Perm() != mode {
					t.Errorf("while written, %v has mode %v", mode, st.Mode())
				}
			}
			return written("new")(w)
		}))
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != mode {
			t.Errorf("mode %v became %v (%v)", mode, st.Mode(), err)
		}
		if b, _ := os.ReadFile(path); os.Geteuid() == 0 && string(b) != "new" {
			t.Errorf("mode %v: holds %q", mode, b)
		}
	}
}

// A link is written through, whether its target is there or not.
func TestSymbolicLinksAreFollowed(t *testing.T) {
	at := testkit.Folder(t)
	for _, sub := range []string{"a", "b"} {
		testkit.NoError(t, os.Mkdir(at(sub), 0o755))
	}
	put(t, at("a/living"), "old", 0o644)
	links := map[string]string{"living": "a/living", "dangling": "b/new", "chain": "dangling",
		"absolute": at("b/other"), "a/up": "../b/third"}
	for name, to := range links {
		testkit.NoError(t, os.Symlink(to, at(name)))
	}
	for name, file := range map[string]string{"living": "a/living", "dangling": "b/new", "chain": "b/new",
		"absolute": "b/other", "a/up": "b/third"} {
		testkit.NoError(t, WriteFile(at(name), written(name)))
		holds(t, at(file), name)
		if st, err := os.Lstat(at(name)); err != nil || st.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", name)
		}
	}
	for name, to := range map[string]string{"circle": "circle", "nowhere": "absent/file"} {
		testkit.NoError(t, os.Symlink(to, at(name)))
		testkit.Fails(t, WriteFile(at(name), written("x")), name, "no")
	}
}

// Opening a pipe without a reader would block silently.
func TestSpecialFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip(err)
	}
	for _, err := range []error{WriteFile(path, written("x")), Probe(path)} {
		testkit.ErrorContains(t, err, "it is a pipe")
	}
	testkit.NoError(t, WriteFile("/dev/null", written("x")))
	if st, err := os.Stat("/dev/null"); err != nil || st.Mode()&os.ModeCharDevice == 0 {
		t.Error("/dev/null was replaced")
	}
}

func TestLongestNames(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("n", 255)
	testkit.NoError(t, WriteFile(filepath.Join(dir, name), written("x")))
	onlyFile(t, dir, name)
	testkit.Fails(t, WriteFile(filepath.Join(dir, name+"n"), written("x")),
		"a name longer than the file system takes was written")
	onlyFile(t, dir, name)
}

// Temporary files of a crash are removed by the next write to the same name. Files of an active writer, and files for
// other names, remain.
func TestLeftoversAreRemoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.rao")
	crashed := filepath.Join(dir, tempPrefix(path)+"1-ABC.tmp")
	other := filepath.Join(dir, tempPrefix("n.rao")+"1-ABC.tmp")
	put(t, crashed, "half", 0o644)
	put(t, other, "half", 0o644)
	busy := testkit.Must(createTemp(Target{Path: path}))(t)
	testkit.NoError(t, WriteFile(path, written("x")))
	testkit.Fails(t, testkit.ErrorOf(os.Stat(crashed)), "the leftover is still there")
	for _, name := range []string{other, busy.Name(), path} {
		testkit.NoError(t, testkit.ErrorOf(os.Stat(name)))
	}
	Abandon(path)
	testkit.Fails(t, testkit.ErrorOf(os.Stat(busy.Name())), "the abandoned file is still there")
}
