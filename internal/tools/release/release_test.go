package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

const changelog = `# Changelog

## 1.3.0, unreleased

- More.

## 1.2.3, 2026-01-02

- All.

## 1.2.2, 2025-01-02
`

// module writes a small module that is ready for release 1.2.3 to dir and commits it.
func module(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"go.mod":                   "module rao\n\ngo 1.26\n",
		"rao.go":                   "package rao\n\nconst Version = \"1.2.3\"\n",
		"cmd/rao/main.go":          "package main\n\nfunc main() { println(\"rao\") }\n",
		"CHANGELOG.md":             changelog,
		"CITATION.cff":             "version: 1.2.3\n",
		"python/rao/_version.py":   "__version__ = \"1.2.3\"\n",
		"python/conda/recipe.yaml": "context:\n  version: \"1.2.3\"\n",
		"README.md":                "# rao\n",
		"LICENSE":                  "free\n",
	} {
		testkit.WriteFile(t, filepath.Join(dir, name), text)
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	git(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "all")
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	testkit.Output(t, cmd)
}

// here returns a release of the module at root for this system.
func here(t *testing.T, root string) *release {
	system := runtime.GOOS + "/" + runtime.GOARCH
	if !slices.Contains(allSystems, system) {
		t.Skipf("there is no release for %s", system)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	return &release{root: root, out: t.TempDir(), version: "1.2.3", systems: []string{system}, program: "./cmd/rao"}
}

// Equal sources give identical archives, in any folder.
func TestReleasesAreReproducible(t *testing.T) {
	testkit.SkipShort(t, "builds programs")
	var sums []string
	for range 2 {
		r := here(t, t.TempDir())
		module(t, r.root)
		written := testkit.Must(r.make())(t)
		if len(written) != 2 {
			t.Fatalf("wrote %v", written)
		}
		sums = append(sums, testkit.Text(t, written[1]))
		if runtime.GOOS != "windows" {
			names := unpack(t, written[0])
			for _, want := range []string{"CHANGES.md", "LICENSE", "README.md", "CITATION.cff", "rao",
				"sbom.cdx.json"} {
				if !slices.Contains(names, strings.TrimSuffix(filepath.Base(written[0]), ".tar.gz")+"/"+want) {
					t.Errorf("%s is not among %v", want, names)
				}
			}
			if !slices.ContainsFunc(names, func(s string) bool { return strings.Contains(s, "/licenses/go@") }) {
				t.Errorf("the license of Go's library is not among %v", names)
			}
		}
	}
	testkit.Equal(t, sums[0], sums[1], "two releases of the same sources have the sums")
}

func unpack(t *testing.T, path string) (names []string) {
	t.Helper()
	f := testkit.Must(os.Open(path))(t)
	defer f.Close()
	z := testkit.Must(gzip.NewReader(f))(t)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names
		}
		testkit.NoError(t, err)
		names = append(names, h.Name)
	}
}

// The bill of materials names each module and Go's library.
func TestBill(t *testing.T) {
	r := release{version: "1.2.3"}
	b := testkit.Must(r.bill([]string{"example.org/m@v1.0.0\t/somewhere", "go@go1.26.0\t/go"}))(t)
	for _, want := range []string{`"specVersion": "1.5"`, `"pkg:golang/example.org/m@v1.0.0"`,
		`"pkg:golang/std@1.26.0"`, `"pkg:generic/rao@1.2.3"`} {
		testkit.Contains(t, string(b), want)
	}
	if strings.Contains(string(b), "somewhere") {
		t.Error("a folder of this machine is in the bill")
	}
}

// A release that is not ready is rejected before anything is built or written.
func TestReleasesMustBeReady(t *testing.T) {
	write := func(t *testing.T, root, name, text string) {
		testkit.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, r *release)
		want  string
	}{
		{"another version", func(t *testing.T, r *release) { r.version = "9.9.9" }, "does not mention version 9.9.9"},
		{"unreleased", func(t *testing.T, r *release) { r.version = "1.3.0" }, "calls 1.3.0 unreleased"},
		{"version of the source", func(t *testing.T, r *release) { r.version = "1.2.2" }, "change Version"},
		{"version of the citation", func(t *testing.T, r *release) { write(t, r.root, "CITATION.cff", "version: 1\n") },
			"CITATION.cff has no line"},
		{"uncommitted changes", func(t *testing.T, r *release) { write(t, r.root, "new.go", "package rao\n") },
			"uncommitted changes"},
		{"unknown system", func(t *testing.T, r *release) { r.systems = []string{"plan9/mips"} }, "plan9/mips"},
		{"another folder", func(t *testing.T, r *release) { r.root = t.TempDir() }, "root of the module"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := here(t, t.TempDir())
			module(t, r.root)
			c.spoil(t, r)
			_, err := r.make()
			testkit.ErrorContains(t, err, c.want)
			if left, _ := os.ReadDir(r.out); len(left) > 0 {
				t.Errorf("wrote %v", left)
			}
		})
	}
}

// The zip container for Windows contains the given files, all with one date.
func TestZipped(t *testing.T) {
	packed := testkit.Must(zipped("rao", []file{{"rao.exe", 0o755, []byte("program")}}))(t)
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(r.File) != 1 {
		t.Fatal(err, r)
	}
	if f := r.File[0]; f.Name != "rao/rao.exe" || f.Mode() != 0o755 || !f.Modified.Equal(when) {
		t.Errorf("%s, mode %v, of %v", f.Name, f.Mode(), f.Modified)
	}
}
