package rao_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers is the architecture: a package imports only from layers below its own,
// or from siblings when no circle comes of it. Every package must be listed.
var layers = [][]string{
	{"rao"},
	{"rao/internal/..."},
	{"rao/gaussian", "rao/spd", "rao/evaluate"},
	{"rao/sqfa", "rao/feature", "rao/lvq", "rao/classify", "rao/cluster", "rao/descriptor"},
	{"rao/dataset", "rao/sets", "rao/synth", "rao/eeg", "rao/model", "rao/method", "rao/report", "rao/experiment", "rao/bench"},
	{"rao/cmd/...", "rao/serve"},
}

func layerOf(pkg string) int {
	for i, names := range layers {
		for _, n := range names {
			if pkg == n || (strings.HasSuffix(n, "/...") && strings.HasPrefix(pkg, strings.TrimSuffix(n, "..."))) {
				return i
			}
		}
	}
	return -1
}

// imports returns, for each package of the module, the packages of the module
// that its non-test files import.
func imports(t *testing.T) map[string][]string {
	graph := map[string][]string{}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != "." && (strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Join("rao", filepath.ToSlash(filepath.Dir(p)))
		if _, ok := graph[pkg]; !ok {
			graph[pkg] = nil
		}
		for _, spec := range f.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			if (imp == "rao" || strings.HasPrefix(imp, "rao/")) && !slices.Contains(graph[pkg], imp) {
				graph[pkg] = append(graph[pkg], imp)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

func TestPackagesImportOnlyDownwards(t *testing.T) {
	graph := imports(t)
	if len(graph) < 5 {
		t.Fatalf("found only %d packages: the test looks in the wrong folder", len(graph))
	}
	for pkg, deps := range graph {
		own := layerOf(pkg)
		if own < 0 {
			t.Errorf("%s has no layer: add it to the table in layers_test.go", pkg)
			continue
		}
		for _, dep := range deps {
			if l := layerOf(dep); l > own {
				t.Errorf("%s (layer %d) imports %s (layer %d)", pkg, own, dep, l)
			}
		}
	}
}

func TestSiblingsImportInNoCircle(t *testing.T) {
	graph := imports(t)
	const (
		fresh = iota
		open
		done
	)
	state := map[string]int{}
	var visit func(pkg string, trail []string)
	visit = func(pkg string, trail []string) {
		trail = append(trail, pkg)
		switch state[pkg] {
		case open:
			t.Errorf("import circle: %s", strings.Join(trail, " -> "))
			return
		case done:
			return
		}
		state[pkg] = open
		for _, dep := range graph[pkg] {
			if layerOf(dep) == layerOf(pkg) {
				visit(dep, trail)
			}
		}
		state[pkg] = done
	}
	for pkg := range graph {
		visit(pkg, nil)
	}
}

// The writer of assembly serves generators; nothing that runs needs it.
func TestOnlyGeneratorsWriteAssembly(t *testing.T) {
	for pkg, deps := range imports(t) {
		if slices.Contains(deps, "rao/internal/linalg/asm") && path.Base(pkg) != "gen" {
			t.Errorf("%s imports rao/internal/linalg/asm, which belongs to generators", pkg)
		}
	}
}

// gonum/plot is heavy: only the package that draws may bring it in, and only
// the tool may bring in the command-line library.
func TestHeavyImportsStayInTheirPlace(t *testing.T) {
	allowed := map[string]string{
		"gonum.org/v1/plot":      "report",
		"github.com/spf13/cobra": "cmd",
		"golang.org/x/image":     "report",
	}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			for prefix, home := range allowed {
				if strings.HasPrefix(imp, prefix) && !strings.HasPrefix(filepath.ToSlash(p), home+"/") {
					t.Errorf("%s imports %s, which belongs to %s alone", p, imp, home)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
