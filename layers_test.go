package rao_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// layers lists the layers of the architecture (docs/architecture.md), the lowest first. A package imports only packages
// of lower layers, or of its own layer if there is no cycle. Every package is in one layer.
var layers = []struct {
	name     string
	packages []string
}{
	{"base", []string{".", "internal/goroutines", "internal/suggest"}},
	{"ground", []string{"recipe", "internal/..."}},
	{"geometry", []string{"gaussian", "gaussian/...", "spd", "spd/...", "internal/classstats", "internal/gaussiancheck",
		"internal/subclasses"}},
	{"measure", []string{"evaluate", "internal/candidates", "internal/classpairs", "internal/argmax",
		"internal/heldout", "internal/covstream"}},
	{"learn", []string{"sqfa", "feature", "lvq", "cluster", "internal/linearfilters", "internal/learners",
		"internal/descriptors", "internal/classifiers/common"}},
	{"decide", []string{"classify", "internal/classifiers", "internal/potato", "internal/jointfit"}},
	{"data", []string{"dataset", "dataset/...", "sets", "internal/sets", "synth", "internal/synth",
		"internal/privacy", "internal/tableoptions", "internal/datapart", "internal/grayimages",
		"internal/subclassrows"}},
	{"work", []string{"model", "method", "stream", "report", "internal/study", "internal/demo", "internal/predictions",
		"internal/decisionrecord", "internal/trainingdata", "internal/modelinfo", "internal/statsource",
		"internal/filecheck", "internal/fitmemory", "internal/examine", "internal/spdclusters", "internal/spdmeans",
		"internal/datafigures"}},
	{"studies", []string{"eeg", "eeg/...", "internal/eeg/...", "internal/paper/..."}},
	{"face", []string{"cmd/...", "python/...", "serve", "serve/...", "internal/serve/...",
		"internal/tools/...", "docs/gallery"}},
}

// layersOf returns the indices of the layers whose longest matching pattern fits the package. There must be exactly
// one.
func layersOf(pkg string) (found []int) {
	longest := 0
	for i, l := range layers {
		for _, n := range l.packages {
			fits := pkg == n || (strings.HasSuffix(n, "/...") && strings.HasPrefix(pkg, strings.TrimSuffix(n, "...")))
			switch {
			case fits && len(n) > longest:
				found, longest = []int{i}, len(n)
			case fits && len(n) == longest:
				found = append(found, i)
			}
		}
	}
	return found
}

func layerOf(pkg string) int {
	if found := layersOf(pkg); len(found) == 1 {
		return found[0]
	}
	return -1
}

// walkFiles parses the module's Go files, except test data and nested modules.
func walkFiles(t *testing.T, visit func(path string, f *ast.File), mode parser.Mode) {
	t.Helper()
	testkit.NoError(t, filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != "." {
			_, nested := os.Stat(filepath.Join(p, "go.mod"))
			if strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || nested == nil {
				return filepath.SkipDir
			}
		}
		if d.IsDir() || !strings.HasSuffix(d.Name(), ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, mode)
		if err == nil {
			visit(p, f)
		}
		return err
	}))
}

// modulePath reads the module's path from its go.mod.
func modulePath(t *testing.T) string {
	t.Helper()
	first, _, _ := strings.Cut(testkit.Text(t, "go.mod"), "\n")
	return strings.TrimPrefix(first, "module ")
}

// imports returns, for each package of the module, the packages of the module that its non-test files import. Packages
// are named by their folders.
func imports(t *testing.T) map[string][]string {
	module := modulePath(t)
	graph := map[string][]string{}
	walkFiles(t, func(p string, f *ast.File) {
		if strings.HasSuffix(p, "_test.go") {
			return
		}
		pkg := filepath.ToSlash(filepath.Dir(p))
		if _, ok := graph[pkg]; !ok {
			graph[pkg] = nil
		}
		for _, spec := range f.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			own, ok := strings.CutPrefix(imp, module)
			if own = path.Join(".", strings.TrimPrefix(own, "/")); ok &&
				(imp == module || strings.HasPrefix(imp, module+"/")) && !slices.Contains(graph[pkg], own) {
				graph[pkg] = append(graph[pkg], own)
			}
		}
	}, parser.ImportsOnly)
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
			t.Errorf("%s is in %d layers: give it one in the table of layers_test.go", pkg, len(layersOf(pkg)))
			continue
		}
		for _, dep := range deps {
			if l := layerOf(dep); l > own {
				t.Errorf("%s (%s) imports %s (%s)", pkg, layers[own].name, dep, layers[l].name)
			}
		}
	}
}

// Heavy readers are linked by the programs that import them, and by no library package.
func TestParquetIsLinkedByTheToolAlone(t *testing.T) {
	for pkg, deps := range imports(t) {
		if slices.Contains(deps, "dataset/parquet") && pkg != "cmd/rao/cli" {
			t.Errorf("%s imports dataset/parquet", pkg)
		}
		if slices.Contains(deps, "internal/format/parquetwriter") && !strings.HasPrefix(pkg, "cmd/rao/") {
			t.Errorf("%s imports internal/format/parquetwriter", pkg)
		}
	}
	walkFiles(t, func(p string, f *ast.File) {
		for _, spec := range f.Imports {
			folder := filepath.ToSlash(filepath.Dir(p))
			if strings.Contains(spec.Path.Value, "github.com/parquet-go/") && folder != "dataset/parquet" &&
				folder != "internal/format/parquetwriter" {
				t.Errorf("%s imports %s", p, spec.Path.Value)
			}
			// the root package of the library brings in protobuf and keeps every method
			if spec.Path.Value == `"github.com/parquet-go/parquet-go"` && !strings.HasSuffix(p, "_test.go") {
				t.Errorf("%s imports %s: use its packages format and encoding", p, spec.Path.Value)
			}
		}
	}, parser.ImportsOnly)
}

// The core imports no wing, and no wing imports another, not even in tests, so each wing can be deleted. Programs
// import a wing only in files that .ci/wings lists. These files are deleted together with the wing.
func TestWingsAreImportedByNobodyElse(t *testing.T) {
	wings, module := testkit.ReadWings(t, "."), modulePath(t)
	walkFiles(t, func(p string, f *ast.File) {
		p = filepath.ToSlash(p)
		with := map[string]bool{}
		for _, own := range testkit.WingsOf(wings, p) {
			with[own.Name] = true
		}
		for _, spec := range f.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			dep, ok := strings.CutPrefix(imp, module+"/")
			for _, of := range testkit.WingsOf(wings, dep) {
				if ok && !with[of.Name] {
					t.Errorf("%s imports %s, which belongs to the wing %s", p, dep, of.Name)
				}
			}
		}
	}, parser.ImportsOnly)
}

func TestSiblingsImportInNoCircle(t *testing.T) {
	graph := imports(t)
	for before := 0; before != len(graph); { // leave out packages that import none of those that remain
		before = len(graph)
		maps.DeleteFunc(graph, func(pkg string, deps []string) bool {
			return !slices.ContainsFunc(deps, func(dep string) bool {
				_, remains := graph[dep]
				return remains && layerOf(dep) == layerOf(pkg)
			})
		})
	}
	if len(graph) > 0 {
		t.Errorf("some of these packages import each other: %q", slices.Sorted(maps.Keys(graph)))
	}
}

// docs/architecture.md has the same table.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	rows := map[string]string{} // the rows of each layer
	layer := ""
	for line := range strings.Lines(testkit.Text(t, "docs/architecture.md")) {
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			if name := strings.TrimSpace(cells[1]); name != "" {
				layer = name
			}
			rows[layer] += cells[2] + cells[3]
		}
	}
	for pkg := range imports(t) {
		name := pkg
		l := layers[max(layerOf(pkg), 0)].name
		switch {
		case pkg == ".":
			name = "rao"
		case strings.HasPrefix(pkg, "internal/tools/"):
			name = "internal/tools/..."
		case l == "ground" && strings.HasPrefix(pkg, "internal/"):
			name = strings.Split(pkg, "/")[1]
		case strings.HasPrefix(pkg, "internal/eeg/format/"), strings.HasPrefix(pkg, "internal/sets/"),
			strings.HasPrefix(pkg, "internal/synth/"):
			name = path.Dir(pkg)
		}
		testkit.Contains(t, rows[l], "`"+name+"`", "docs/architecture.md does not name", name,
			"in the rows of the layer", l)
	}
}

// Only generators import the writer of assembly.
func TestOnlyGeneratorsWriteAssembly(t *testing.T) {
	for pkg, deps := range imports(t) {
		if slices.Contains(deps, "internal/linalg/asmwriter") && path.Base(pkg) != "gen" {
			t.Errorf("%s imports internal/linalg/asmwriter, which belongs to generators", pkg)
		}
	}
}

// Only the package that draws figures imports fonts and their rasterizer, and only the tool imports the command-line
// library.
func TestHeavyImportsStayInTheirPlace(t *testing.T) {
	allowed := map[string]string{
		"github.com/golang/freetype": "report",
		"github.com/spf13/cobra":     "cmd",
		"golang.org/x/image":         "report",
	}
	walkFiles(t, func(p string, f *ast.File) {
		for _, spec := range f.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			for prefix, home := range allowed {
				if strings.HasPrefix(imp, prefix) && !strings.HasPrefix(filepath.ToSlash(p), home+"/") {
					t.Errorf("%s imports %s, which belongs to %s alone", p, imp, home)
				}
			}
		}
	}, parser.ImportsOnly)
}
