//go:build unix

package regular_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/internal/format/regular"
	"rao/internal/testkit"
)

func TestOnlyFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	testkit.NoError(t, os.WriteFile(at("file"), []byte("x"), 0o600))
	testkit.Pipe(t, at("pipe"))
	for _, name := range []string{"file", "pipe"} {
		testkit.NoError(t, os.Symlink(name, at("link to "+name)))
	}
	testkit.NoError(t, os.Symlink("nothing", at("broken link")))
	testkit.NoError(t, os.Mkdir(at("folder"), 0o700))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 6 {
		t.Fatal(entries, err)
	}
	want := map[string]string{"file": "", "link to file": "", "pipe": "a pipe", "link to pipe": "a pipe",
		"folder": "is a folder", "broken link": "broken link: no such file"}
	for _, e := range entries {
		path, what := at(e.Name()), want[e.Name()]
		testkit.Equal(t, regular.Is(path, e), what == "", e.Name(), "a file:", what != "")
		testkit.Within(t, func() {
			f, err := regular.Open(path)
			if err == nil {
				f.Close()
			}
			if what == "" && err != nil || what != "" && (err == nil || !strings.Contains(err.Error(), what)) {
				t.Errorf("%s: %v", e.Name(), err)
			}
		})
	}
}
