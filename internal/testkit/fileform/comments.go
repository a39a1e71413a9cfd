package fileform

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
)

var (
	commentsMu sync.Mutex
	comments   = map[string]map[string]string{} // package, then Type.Field
	link       = regexp.MustCompile(`\[([A-Za-z.]+)\]`)
)

// docOf returns the comment of a field, with the names of the type's other fields replaced by their names in the file.
func docOf(t reflect.Type, field string) string {
	commentsMu.Lock()
	defer commentsMu.Unlock()
	of, ok := comments[t.PkgPath()]
	if !ok {
		of = parse(t.PkgPath())
		comments[t.PkgPath()] = of
	}
	doc := of[t.Name()+"."+field]
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			doc = regexp.MustCompile(`\b`+f.Name+`\b`).ReplaceAllString(doc, "`"+name+"`")
		}
	}
	return strings.NewReplacer("nil", "absent", "Nil", "Absent").Replace(link.ReplaceAllString(doc, "$1"))
}

// parse returns the field comments of a package of this module.
func parse(pkg string) map[string]string {
	out := map[string]string{}
	dir := strings.TrimPrefix(pkg, strings.TrimSuffix(reflect.TypeFor[Node]().PkgPath(), "/internal/testkit/fileform"))
	files, err := filepath.Glob(filepath.Join(Root(), filepath.FromSlash(dir), "*.go"))
	if err != nil {
		panic(err)
	}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					text := f.Doc.Text() + f.Comment.Text()
					names := f.Names
					if id, ok := f.Type.(*ast.Ident); ok && len(names) == 0 { // an embedded type
						names = []*ast.Ident{id}
					}
					for _, name := range names {
						out[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(text), " ")
					}
				}
			}
			return true
		})
	}
	return out
}
