// Command gomarkdown writes the documentation of every public package as Markdown, one file per package. The site uses
// these files (docs/site/hooks.py):
//
//	go run ./internal/tools/gomarkdown FOLDER
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/tools/gomarkdown FOLDER")
		os.Exit(2)
	}
	if err := writeAll(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeAll writes one page per public package of the module in root.
func writeAll(root, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if skipped(dir, d.Name()) {
			return filepath.SkipDir
		}
		p, fset, err := parsePackage(dir)
		if err != nil || p == nil {
			return err
		}
		name := strings.ReplaceAll(strings.TrimPrefix(p.ImportPath, "rao/"), "/", "-") + ".md"
		return os.WriteFile(filepath.Join(out, name), []byte(page(p, fset)), 0o644)
	})
}

// skipped reports whether a folder contains no package that other modules can import.
func skipped(dir, name string) bool {
	if dir == "." {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
		name == "internal" || name == "testdata" || name == "docs" || dir == filepath.Join("cmd", "rao")
}

// parsePackage returns the documentation of the package in dir, or nil if dir contains no package or a program.
func parsePackage(dir string) (*doc.Package, *token.FileSet, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		if f.Name.Name == "main" {
			return nil, nil, nil
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, nil, nil
	}
	p, err := doc.NewFromFiles(fset, files, path.Join("rao", filepath.ToSlash(dir)))
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("package in %s", dir), err)
	}
	return p, fset, nil
}

// page returns the documentation of a package as Markdown.
func page(p *doc.Package, fset *token.FileSet) string {
	w := &writer{p: p, fset: fset}
	fmt.Fprintf(w, "# Package %s\n\n```go\nimport %q\n```\n\n", p.Name, p.ImportPath)
	w.comment(p.Doc)
	w.values("Constants", p.Consts)
	w.values("Variables", p.Vars)
	w.funcs("##", p.Funcs)
	for _, t := range p.Types {
		w.item("##", t.Name, t.Decl, t.Doc)
		w.values("", t.Consts)
		w.values("", t.Vars)
		w.funcs("###", t.Funcs)
		w.funcs("###", t.Methods)
	}
	return w.String()
}

// writer collects the text of the page of one package.
type writer struct {
	strings.Builder
	p    *doc.Package
	fset *token.FileSet
}

func (w *writer) comment(text string) {
	parser := w.p.Parser()
	printer := &comment.Printer{HeadingLevel: 4, HeadingID: func(*comment.Heading) string { return "" },
		DocLinkURL: w.link}
	w.Write(printer.Markdown(parser.Parse(text)))
	w.WriteString("\n")
}

// link returns the address of the page of a linked identifier. Pages of other modules are on pkg.go.dev.
func (w *writer) link(l *comment.DocLink) string {
	target := ""
	switch {
	case l.ImportPath == "" || l.ImportPath == w.p.ImportPath:
	case strings.Contains(l.ImportPath, "internal/"):
		return ""
	case strings.HasPrefix(l.ImportPath+"/", "rao/"):
		target = strings.ReplaceAll(strings.TrimPrefix(l.ImportPath, "rao/"), "/", "-") + ".md"
	default:
		return l.DefaultURL("https://pkg.go.dev")
	}
	if l.Name == "" {
		return target
	}
	if l.Recv != "" && target == "" && !w.hasMethod(l.Recv, l.Name) {
		return "#" + anchor(l.Recv) // a field
	}
	return target + "#" + anchor(strings.TrimPrefix(l.Recv+"."+l.Name, "."))
}

// hasMethod reports whether the page has a heading for a method of a type.
func (w *writer) hasMethod(typ, name string) bool {
	for _, t := range w.p.Types {
		for _, m := range t.Methods {
			if t.Name == typ && m.Name == name {
				return true
			}
		}
	}
	return false
}

// anchor returns the anchor of an identifier's heading on its page.
func anchor(name string) string { return "go-" + strings.ReplaceAll(name, ".", "-") }

func (w *writer) values(title string, list []*doc.Value) {
	if len(list) > 0 && title != "" {
		fmt.Fprintf(w, "## %s\n\n", title)
	}
	for _, v := range list {
		for _, name := range v.Names {
			fmt.Fprintf(w, "<a id=\"%s\"></a>\n", anchor(name))
		}
		w.WriteString("\n")
		w.decl(v.Decl)
		w.comment(v.Doc)
	}
}

func (w *writer) funcs(level string, list []*doc.Func) {
	for _, f := range list {
		name := f.Name
		if f.Recv != "" {
			name = strings.TrimPrefix(f.Recv, "*") + "." + name
		}
		w.item(level, name, f.Decl, f.Doc)
	}
}

func (w *writer) item(level, name string, decl ast.Decl, text string) {
	fmt.Fprintf(w, "%s %s {: #%s }\n\n", level, name, anchor(name))
	w.decl(decl)
	w.comment(text)
}

func (w *writer) decl(decl ast.Decl) {
	w.WriteString("```go\n")
	if err := format.Node(w, w.fset, decl); err != nil {
		fmt.Fprintf(w, "// %v", err) // a declaration that was parsed prints
	}
	w.WriteString("\n```\n\n")
}
