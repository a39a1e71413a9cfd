package rao_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// Every fuzz target is in the table of CONTRIBUTING.md, and nothing else is.
func TestFuzzTargetsAreListed(t *testing.T) {
	there := map[string]bool{}
	declaredTests(t, `(?m)^func (Fuzz\w+)\(`, func(p, name string) { there[path.Dir(p)+" "+name] = true })
	listed, quoted := map[string]bool{}, regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(testkit.Text(t, "CONTRIBUTING.md")) {
		if !strings.HasPrefix(line, "| `") || !strings.Contains(line, "`Fuzz") {
			continue
		}
		words := quoted.FindAllStringSubmatch(line, -1)
		for _, w := range words[1:] {
			listed[words[0][1]+" "+w[1]] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if !listed[name] {
			t.Errorf("%s is not in CONTRIBUTING.md", name)
		}
	}
	wings := testkit.ReadWings(t, ".")
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		folder, _, _ := strings.Cut(name, " ")
		deleted := slices.ContainsFunc(testkit.WingsOf(wings, folder), func(w testkit.Wing) bool { return w.Deleted })
		if !there[name] && !deleted {
			t.Errorf("CONTRIBUTING.md lists %s, which is not there", name)
		}
	}
}

// declaredTests calls visit with the file and the first match of every declaration in the tests of Go and Python that
// matches pattern.
func declaredTests(t *testing.T, pattern string, visit func(file, name string)) {
	t.Helper()
	declared := regexp.MustCompile(pattern)
	testkit.NoError(t, filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		p = filepath.ToSlash(p)
		if err != nil || !strings.HasPrefix(p, "python/tests/test_") && !strings.HasSuffix(p, "_test.go") {
			return err
		}
		text, err := os.ReadFile(p)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			visit(p, m[1])
		}
		return err
	}))
}
