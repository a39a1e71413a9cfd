package rao_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"rao/internal/testkit"
)

// exportedFuncs calls visit for every exported function, and method of an exported type, outside internal, cmd and
// tests.
func exportedFuncs(t *testing.T, visit func(at string, f *ast.FuncDecl)) {
	t.Helper()
	walkPublic(t, func(p string, f *ast.File) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Recv != nil && !ast.IsExported(receiver(fn)) {
				continue
			}
			visit(p+": "+strings.TrimPrefix(receiver(fn)+".", ".")+fn.Name.Name, fn)
		}
	})
}

// walkPublic parses the files outside internal, cmd and tests.
func walkPublic(t *testing.T, visit func(path string, f *ast.File)) {
	t.Helper()
	walkFiles(t, func(p string, f *ast.File) {
		p = filepath.ToSlash(p)
		private := strings.Contains("/"+p, "/internal/") || strings.HasPrefix(p, "cmd/")
		if !private && !strings.HasSuffix(p, "_test.go") {
			visit(p, f)
		}
	}, parser.SkipObjectResolution)
}

// eachSpec calls visit for every declaration of a kind in a file, and the group that it is in.
func eachSpec[S ast.Spec](f *ast.File, visit func(group *ast.GenDecl, s S)) {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, spec := range g.Specs {
				if s, ok := spec.(S); ok {
					visit(g, s)
				}
			}
		}
	}
}

func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	e := fn.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// param is a parameter or result with its type as written.
type param struct{ name, typ string }

func params(fields *ast.FieldList) (list []param) {
	if fields == nil {
		return nil
	}
	for _, field := range fields.List {
		typ := typeName(field.Type)
		if len(field.Names) == 0 {
			list = append(list, param{"", typ})
		}
		for _, n := range field.Names {
			list = append(list, param{n.Name, typ})
		}
	}
	return list
}

func typeName(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return typeName(x.X) + "." + x.Sel.Name
	case *ast.StarExpr:
		return "*" + typeName(x.X)
	case *ast.ArrayType:
		return "[]" + typeName(x.Elt)
	}
	return "?"
}

// The context comes first, then what is written to, and the options last.
func TestArgumentsHaveOneOrder(t *testing.T) {
	exportedFuncs(t, func(at string, fn *ast.FuncDecl) {
		list := params(fn.Type.Params)
		for i, p := range list {
			first := i == 0 || i == 1 && list[0].typ == "context.Context"
			switch {
			case p.typ == "context.Context" && i != 0:
				t.Errorf("%s: the context is argument %d, not the first", at, i+1)
			case p.name == "dst" && !first && list[i-1].name != "dst":
				t.Errorf("%s: dst is argument %d, before it comes %s", at, i+1, list[i-1].name)
			case strings.HasSuffix(p.typ, "Options") && !strings.HasPrefix(p.typ, "[]") && i != len(list)-1 &&
				!strings.HasSuffix(list[len(list)-1].typ, "?"):
				t.Errorf("%s: the options are argument %d of %d, not the last", at, i+1, len(list))
			}
		}
	})
}

// Functions that fit labeled observations accept a context and the class names: Fit(ctx, x, labels, classes, Options).
func TestFitsHaveOneForm(t *testing.T) {
	exportedFuncs(t, func(at string, fn *ast.FuncDecl) {
		list := params(fn.Type.Params)
		labels := slices.IndexFunc(list, func(p param) bool { return p.name == "labels" })
		if !strings.HasPrefix(fn.Name.Name, "Fit") || fn.Recv != nil || labels < 0 {
			return
		}
		if list[0].typ != "context.Context" && !slices.Contains(closedForm, fn.Name.Name) {
			t.Errorf("%s takes no context", at)
		}
		if labels+1 >= len(list) || list[labels+1] != (param{"classes", "[]string"}) {
			t.Errorf("%s: after the labels come the names of the classes, classes []string", at)
		}
	})
}

// closedForm lists the fits that make only one pass over the data, so they need no context.
var closedForm = []string{"FitEvoked", "FitParzen", "FitXdawn", "FitXdawnCovariances", "FitKNN", "FitMatrixKNN"}

// The values of an enumeration are typed: constants of a string type, whose names start with the name of the type. Only
// metrics and dissimilarities, to which other modules add, have names of their own.
func TestEnumerationsHaveOneForm(t *testing.T) {
	constants := 0
	check := func(at string, names []*ast.Ident, typ string, value ast.Expr, block bool) {
		for _, name := range names {
			if !name.IsExported() {
				continue
			}
			lit, text := value.(*ast.BasicLit)
			text = text && lit.Kind == token.STRING
			switch own := typ == "Metric" || typ == "Dissimilarity"; {
			case typ == "" && (block && text || value == nil):
				t.Errorf("%s: %s is a value of an enumeration without a type", at, name)
			case typ == "":
			case !text:
				t.Errorf("%s: %s is not a string constant; the type of an enumeration is a string", at, name)
			case !own && !strings.HasPrefix(name.Name, typ):
				t.Errorf("%s: %s is a %s; call it %s%s", at, name, typ, typ, name)
			default:
				constants++
			}
		}
	}
	walkPublic(t, func(p string, f *ast.File) {
		eachSpec(f, func(g *ast.GenDecl, s *ast.ValueSpec) {
			typ, value := "", ast.Expr(nil)
			if s.Type != nil {
				typ = typeName(s.Type)
			}
			if len(s.Values) > 0 {
				value = s.Values[0]
			}
			if g.Tok == token.CONST {
				check(p, s.Names, typ, value, len(g.Specs) > 1)
			}
		})
	})
	if constants < 30 {
		t.Errorf("%d constants of enumerations found", constants)
	}
}

// Fields with the same purpose have the same name and type in all options.
func TestOptionsShareNames(t *testing.T) {
	names := map[string]string{"Tolerance": "Tol", "MaxIterations": "MaxIter", "MaxIters": "MaxIter",
		"RandomSeed": "Seed", "OnProgress": "Progress"}
	types := map[string][]string{"Tol": {"float64"}, "MaxIter": {"int"}, "Seed": {"uint64"},
		"Progress": {"rao.Progress"}, "Metric": {"spd.Metric", "Metric"}}
	exportedFields(t, func(at, name, typ string) {
		if !strings.HasSuffix(at, "Options") {
			return
		}
		if other, ok := names[name]; ok {
			t.Errorf("%s.%s is called %s", at, name, other)
		}
		if want, ok := types[name]; ok && !slices.Contains(want, typ) {
			t.Errorf("%s.%s is a %s, want %s", at, name, typ, want[0])
		}
	})
}

// exportedFields calls visit for every named field of an exported struct, except in internal packages, commands and
// tests.
func exportedFields(t *testing.T, visit func(at, name, typ string)) {
	t.Helper()
	walkPublic(t, func(p string, f *ast.File) {
		eachSpec(f, func(_ *ast.GenDecl, ts *ast.TypeSpec) {
			s, ok := ts.Type.(*ast.StructType)
			if !ok || !ts.Name.IsExported() {
				return
			}
			for _, field := range s.Fields.List {
				for _, n := range field.Names {
					visit(p+": "+ts.Name.Name, n.Name, typeName(field.Type))
				}
			}
		})
	})
}

// In arguments, results and fitted models, one SPD matrix is a mat.Symmetric and filters are a *mat.Dense, not a slice
// with an order.
func TestMatricesAreNotSlices(t *testing.T) {
	matrices := regexp.MustCompile(`^(cov|covA|covB|covariance|second|within|between|total|filters)$`)
	spd := regexp.MustCompile(`^(a|b|ref|from|to|mean|start|reference)$`) // elsewhere these may be vectors
	give := regexp.MustCompile(`\.(Covariance|SecondMoment)$`)
	exportedFuncs(t, func(at string, fn *ast.FuncDecl) {
		for _, p := range params(fn.Type.Params) {
			if p.typ == "[]float64" && (matrices.MatchString(p.name) || strings.HasPrefix(at, "spd/") &&
				spd.MatchString(p.name)) {
				t.Errorf("%s: %s is a slice", at, p.name)
			}
		}
		for _, r := range params(fn.Type.Results) {
			if r.typ == "[]float64" && (matrices.MatchString(r.name) || give.MatchString(at)) {
				t.Errorf("%s returns a matrix as a slice", at)
			}
		}
	})
	exportedFields(t, func(at, name, typ string) {
		if typ == "[]float64" && slices.Contains([]string{"Reference", "Rotation", "Mean", "Start"}, name) {
			t.Errorf("%s: %s is a slice", at, name)
		}
	})
}

// The field Classes of every fitted type contains the names of the classes.
func TestClassesAreNames(t *testing.T) {
	learners := regexp.MustCompile(`^(gaussian|sqfa|feature|lvq|classify|cluster|images|eeg/spatial|model)/`)
	exportedFields(t, func(at, name, typ string) {
		if learners.MatchString(at) && name == "Classes" && typ != "[]string" {
			t.Errorf("%s: the classes are %s", at, typ)
		}
	})
}

// widest is the largest width of a line of Go in columns. A tab counts as four columns. Struct tags cannot be broken.
const widest = 120

func TestLinesAreNarrow(t *testing.T) {
	tag := regexp.MustCompile("`\\w+:\"")
	short := strings.NewReplacer("\t", "    ", modulePath(t)+"/", "rao/") // a longer path need not break lines
	var wide []string
	walkFiles(t, func(p string, _ *ast.File) {
		for i, line := range strings.Split(short.Replace(testkit.Text(t, p)), "\n") {
			if n := utf8.RuneCountInString(line); n > widest && !tag.MatchString(line) {
				wide = append(wide, fmt.Sprintf("%s:%d: %d columns", p, i+1, n))
			}
		}
	}, parser.PackageClauseOnly)
	if len(wide) > 0 {
		t.Errorf("%d lines beyond column %d:\n%s", len(wide), widest, strings.Join(wide, "\n"))
	}
}
