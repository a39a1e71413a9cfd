package rao_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

var updateAPI = flag.Bool("update-api", false, "write api.txt")

// TestAPI compares the exported identifiers of all packages that other modules can import with api.txt. A change
// there is a decision: run go test -run TestAPI -update-api . and review the difference.
func TestAPI(t *testing.T) {
	got := exportedAPI(t)
	identifiers := 0
	for _, line := range got {
		if !strings.Contains(line, " struct, ") {
			identifiers++
		}
	}
	const pageFile = "docs/architecture.md" // has the number of identifiers
	page := testkit.Must(os.ReadFile(pageFile))(t)
	number := regexp.MustCompile(`export \d+ identifiers`)
	counted := number.ReplaceAll(page, fmt.Appendf(nil, "export %d identifiers", identifiers))
	if *updateAPI {
		testkit.NoError(t, os.WriteFile("api.txt", []byte(strings.Join(got, "\n")+"\n"), 0o644))
		testkit.NoError(t, os.WriteFile(pageFile, counted, 0o644))
		return
	}
	want := strings.Split(strings.TrimSuffix(testkit.Text(t, "api.txt"), "\n"), "\n")
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("not in api.txt: %s", line)
		}
	}
	wings := testkit.ReadWings(t, ".")
	for _, line := range want {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "pkg "), ",")
		deleted := slices.ContainsFunc(testkit.WingsOf(wings, name), func(w testkit.Wing) bool { return w.Deleted })
		if !deleted && !slices.Contains(got, line) {
			t.Errorf("in api.txt, but not exported: %s", line)
		}
	}
	whole := !slices.ContainsFunc(wings, func(w testkit.Wing) bool { return w.Deleted })
	if !number.Match(page) || whole && !bytes.Equal(page, counted) {
		t.Errorf("%s: want \"export %d identifiers\"", pageFile, identifiers)
	}
	if t.Failed() {
		t.Log("if the change is meant: go test -run TestAPI -update-api .")
	}
}

// exportedAPI lists every exported constant, variable, function, type, method and field of the packages that other
// modules can import, one per line, in order.
func exportedAPI(t *testing.T) []string {
	t.Helper()
	var lines []string
	testkit.NoError(t, filepath.WalkDir(".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		_, nested := os.Stat(filepath.Join(dir, "go.mod"))
		hidden := dir != "." && strings.HasPrefix(d.Name(), ".")
		if hidden || d.Name() == "internal" || d.Name() == "testdata" || dir != "." && nested == nil {
			return filepath.SkipDir
		}
		found, err := packageAPI(t, filepath.ToSlash(dir))
		lines = append(lines, found...)
		return err
	}))
	slices.Sort(lines)
	return slices.Compact(lines)
}

func packageAPI(t *testing.T, dir string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var lines []string
	files := token.NewFileSet()
	add := func(format string, args ...any) {
		lines = append(lines, "pkg "+strings.Replace(dir, ".", "rao", 1)+", "+fmt.Sprintf(format, args...))
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if f.Name.Name == "main" {
			return nil, nil
		}
		for _, decl := range f.Decls {
			declAPI(decl, add)
		}
		aliasesAPI(t, f, add)
	}
	return lines, nil
}

// aliasesAPI lists the fields and methods of the types of internal packages that a file exports under another name.
func aliasesAPI(t *testing.T, f *ast.File, add func(format string, args ...any)) {
	t.Helper()
	eachSpec(f, func(_ *ast.GenDecl, s *ast.TypeSpec) {
		of, ok := s.Type.(*ast.SelectorExpr)
		if !ok || !s.Assign.IsValid() || !s.Name.IsExported() {
			return
		}
		dir := importedFrom(t, f, of.X.(*ast.Ident).Name)
		if dir == "" {
			return
		}
		for _, line := range testkit.Must(packageAPI(t, dir))(t) {
			_, rest, _ := strings.Cut(line, ", ")
			for _, form := range []string{"type %s struct, ", "method (%s) ", "method (*%s) "} {
				if member, ok := strings.CutPrefix(rest, fmt.Sprintf(form, of.Sel.Name)); ok {
					add(form+"%s", s.Name.Name, member)
				}
			}
		}
	})
}

// importedFrom returns the folder of the internal package that a file imports under a name, or "" if there is none.
func importedFrom(t *testing.T, f *ast.File, name string) string {
	for _, i := range f.Imports {
		dir, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), modulePath(t)+"/")
		if ok && strings.HasPrefix(dir, "internal/") && (i.Name == nil && path.Base(dir) == name ||
			i.Name != nil && i.Name.Name == name) {
			return dir
		}
	}
	return ""
}

func declAPI(decl ast.Decl, add func(format string, args ...any)) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return
		}
		if d.Recv == nil {
			add("func %s%s", d.Name.Name, signature(d.Type))
			return
		}
		recv := source(d.Recv.List[0].Type)
		if ast.IsExported(strings.TrimLeft(recv, "*")) {
			add("method (%s) %s%s", recv, d.Name.Name, signature(d.Type))
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						add("%s %s", d.Tok, name.Name)
					}
				}
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					typeAPI(s, add)
				}
			}
		}
	}
}

func typeAPI(s *ast.TypeSpec, add func(format string, args ...any)) {
	switch u := s.Type.(type) {
	case *ast.StructType:
		add("type %s struct", s.Name.Name)
		for _, field := range u.Fields.List {
			if len(field.Names) == 0 {
				add("type %s struct, embedded %s", s.Name.Name, source(field.Type))
			}
			for _, name := range field.Names {
				if name.IsExported() {
					add("type %s struct, %s %s", s.Name.Name, name.Name, source(field.Type))
				}
			}
		}
	case *ast.InterfaceType:
		add("type %s interface", s.Name.Name)
		for _, method := range u.Methods.List {
			for _, name := range method.Names {
				if name.IsExported() {
					add("type %s interface, %s%s", s.Name.Name, name.Name, signature(method.Type.(*ast.FuncType)))
				}
			}
		}
	default:
		if s.Assign.IsValid() {
			add("type %s = %s", s.Name.Name, source(s.Type))
			return
		}
		add("type %s %s", s.Name.Name, source(s.Type))
	}
}

func signature(f *ast.FuncType) string { return strings.TrimPrefix(source(f), "func") }

// source returns the source text of a node in one line.
func source(node ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
