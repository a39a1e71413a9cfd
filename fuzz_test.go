package rao_test

import (
	"io/fs"
	"maps"
	"os"
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
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	testkit.NoError(t, filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, "_test.go") {
			return err
		}
		text, err := os.ReadFile(p)
		for _, m := range target.FindAllStringSubmatch(string(text), -1) {
			there[filepath.ToSlash(filepath.Dir(p))+" "+m[1]] = true
		}
		return err
	}))
	text := testkit.Must(os.ReadFile("CONTRIBUTING.md"))(t)
	listed, quoted := map[string]bool{}, regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(string(text)) {
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
