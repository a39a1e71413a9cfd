package rao_test

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// Another module can name every type that it meets: exported functions, methods, fields and variables mention no type
// of an internal package, and no type that is not exported, unless a public package has another name for it. The
// options of FitX are called XOptions.
func TestAPITypesHaveNames(t *testing.T) {
	module := modulePath(t)
	out := testkit.Must(exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Name}} {{.Export}}",
		"./...").Output())(t)
	exports := map[string]string{}
	var public []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		exports[f[0]] = f[2]
		if inModule := f[0] == module || strings.HasPrefix(f[0], module+"/"); inModule && f[1] != "main" &&
			!slices.Contains(strings.Split(f[0], "/"), "internal") {
			public = append(public, f[0])
		}
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	w := &typeWalk{module: module, named: map[*types.TypeName]bool{}, seen: map[types.Type]bool{}}
	packages := make([]*types.Package, len(public))
	for i, path := range public {
		packages[i] = testkit.Must(imp.Import(path))(t)
		scope := packages[i].Scope()
		for _, name := range scope.Names() {
			if o, ok := scope.Lookup(name).(*types.TypeName); ok && o.Exported() {
				if n, ok := types.Unalias(o.Type()).(*types.Named); ok {
					w.named[n.Obj()] = true
				}
			}
		}
	}
	for _, p := range packages {
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				w.object(p.Path()+"."+name, o)
			}
		}
	}
	for _, p := range packages {
		w.options(p)
	}
	for _, problem := range w.problems {
		t.Error(problem)
	}
	if len(packages) < 10 {
		t.Errorf("only %d packages were found", len(packages))
	}
}

// typeWalk visits the types that exported identifiers mention.
type typeWalk struct {
	module   string
	named    map[*types.TypeName]bool // types with a public name
	seen     map[types.Type]bool
	problems []string
}

func (w *typeWalk) object(where string, o types.Object) {
	if _, ok := o.(*types.TypeName); ok {
		if n, ok := types.Unalias(o.Type()).(*types.Named); ok {
			w.members(where, n)
			return
		}
	}
	w.visit(where, o.Type())
}

// members visits the exported fields and methods of a type.
func (w *typeWalk) members(where string, n *types.Named) {
	if w.seen[n] {
		return
	}
	w.seen[n] = true
	w.visit(where, n.Underlying())
	for i := range n.NumMethods() {
		if m := n.Method(i); m.Exported() {
			w.visit(where+"."+m.Name(), m.Type())
		}
	}
}

func (w *typeWalk) visit(where string, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		w.visit(where, types.Unalias(t))
	case *types.Named:
		w.name(where, t)
	case *types.Struct:
		for i := range t.NumFields() {
			f := t.Field(i)
			if f.Exported() {
				w.visit(where+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			if m := t.ExplicitMethod(i); m.Exported() {
				w.visit(where+"."+m.Name(), m.Type())
			}
		}
	case *types.Signature:
		for i := range t.TypeParams().Len() {
			w.visit(where, t.TypeParams().At(i).Constraint())
		}
		w.visit(where, t.Params())
		w.visit(where, t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			w.visit(where, t.At(i).Type())
		}
	case *types.Map:
		w.visit(where, t.Key())
		w.visit(where, t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.visit(where, t.Elem())
	}
}

func (w *typeWalk) name(where string, n *types.Named) {
	for i := range n.TypeArgs().Len() {
		w.visit(where, n.TypeArgs().At(i))
	}
	o := n.Origin().Obj()
	if o.Pkg() == nil || o.Pkg().Path() != w.module && !strings.HasPrefix(o.Pkg().Path(), w.module+"/") ||
		w.named[o] {
		return
	}
	w.problems = append(w.problems, fmt.Sprintf("%s mentions %s, which has no public name", where, n))
}

// options checks that the options of FitX are called XOptions.
func (w *typeWalk) options(p *types.Package) {
	for _, name := range p.Scope().Names() {
		f, ok := p.Scope().Lookup(name).(*types.Func)
		fits, isFit := strings.CutPrefix(name, "Fit")
		if !ok || !isFit {
			continue
		}
		params := f.Signature().Params()
		for i := range params.Len() {
			n, ok := types.Unalias(params.At(i).Type()).(*types.Named)
			if ok && strings.HasSuffix(n.Obj().Name(), "Options") && n.Obj().Name() != fits+"Options" {
				w.problems = append(w.problems, fmt.Sprintf("%s.%s has the options %s; want %sOptions", p.Path(), name,
					n.Obj().Name(), fits))
			}
		}
	}
}
