package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// module copies the module that this package is part of, without hidden folders.
func module(t *testing.T) string {
	t.Helper()
	root, dir := filepath.Join("..", "..", ".."), t.TempDir()
	testkit.NoError(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		switch {
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" && rel != ".":
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o666)
	}))
	return dir
}

func TestModuleMovesToAnotherPath(t *testing.T) {
	dir := module(t)
	const path = "example.org/me/rao.v1"
	n, err := rename(dir, path)
	if err != nil || n < 100 {
		t.Fatalf("%d files changed: %v", n, err)
	}
	for file, want := range map[string]string{
		"go.mod":           "module " + path + "\n",
		"docs/guide-go.md": `"` + path + `/sqfa"`,
		"docs/README.md":   "`go doc " + path + "/sqfa`",
		"sets/doc.go":      `import _ "` + path + `/sets"`,
	} {
		testkit.Contains(t, testkit.Text(t, filepath.Join(dir, file)), want, file)
	}
	list := exec.Command("go", "list", "-test", "-e", "-f", "{{with .Error}}{{.}}{{end}}", "./...")
	list.Dir, list.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := list.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "" {
		t.Errorf("go list: %v\n%s", err, out)
	}
	build := exec.Command("go", "build", "-trimpath", ".", "./internal/suggest", "./internal/linalg/vec")
	build.Dir, build.Env = list.Dir, list.Env
	testkit.Output(t, build)
	if n, err := rename(dir, path); n != 0 || err != nil {
		t.Errorf("again: %d files changed, %v", n, err)
	}
}

func TestWhatIsAMention(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module rao\n\ngo 1.26.0\n",
		"b/go.mod": "module rao/b\n\nrequire (\n\trao v0.0.0\n\trao.io/x v1.0.0 // rao/a\n)\n\nreplace rao " +
			"=> ../\n",
		"a/a.go": "// Package a is rao/a, not a/rao/a, nor rao/other or rao.\npackage a\n\nimport (\n\t_ " +
			"\"rao\"\n\t_ \"rao/a/c\"\n\t_ \"raoul/a\"\n)\n\nconst s = \"rao\"\n",
		"a/c/c.go":     "package c\n",
		"doc.md":       "`go doc rao/a`; model.rao/a, ~/.cache/rao/a; rao fit, (rao/a/c).\n",
		"a/binary.txt": "rao/a\x00",
	} {
		testkit.WriteFile(t, filepath.Join(dir, name), text)
	}
	testkit.Must(rename(dir, "h.org/r"))(t)
	for name, want := range map[string]string{
		"go.mod": "module h.org/r\n\ngo 1.26.0\n",
		"b/go.mod": "module h.org/r/b\n\nrequire (\n\th.org/r v0.0.0\n\trao.io/x v1.0.0 // " +
			"h.org/r/a\n)\n\nreplace h.org/r => ../\n",
		"a/a.go": "// Package a is h.org/r/a, not a/rao/a, nor rao/other or rao.\npackage a\n\nimport (\n\t_ " +
			"\"h.org/r\"\n\t_ \"h.org/r/a/c\"\n\t_ \"raoul/a\"\n)\n\nconst s = \"rao\"\n",
		"doc.md":       "`go doc h.org/r/a`; model.rao/a, ~/.cache/rao/a; rao fit, (h.org/r/a/c).\n",
		"a/binary.txt": "rao/a\x00",
	} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s (%v):\n%s\nwant\n%s", name, err, b, want)
		}
	}
}

func TestRenameRefuses(t *testing.T) {
	for _, path := range []string{"", "rao", "example.org/", "example.org/../x", "http://example.org/rao",
		"a b.org/x"} {
		testkit.ErrorContains(t, testkit.ErrorOf(rename(t.TempDir(), path)), "not a module path", path)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(rename(t.TempDir(), "example.org/rao")), "-dir", "no go.mod")
}
