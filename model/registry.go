package model

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode"

	"rao"
	"rao/classify"
	"rao/feature"
	"rao/internal/classifiers"
	"rao/internal/learners"
	"rao/lvq"
	"rao/spd"
)

// kind is a type that a model file can contain.
type kind struct {
	name string       // name in the file
	path string       // prefix of the names of its arrays
	typ  reflect.Type // type of the value
	// wrap returns the stage around a value of a lower package. Only the value is saved.
	wrap func(v any) Stage
	pkg  string // import path of the package that registered it; empty for the kinds of this package
	abilities
}

// wrapper is a stage around a value of a lower package.
type wrapper interface{ inner() any }

func (f *Filters) inner() any { return f.Model }
func (r *Repair) inner() any  { return r.Repair }

var (
	kindsMu sync.RWMutex
	kinds   []kind
)

// own returns a kind of stage defined in this package.
func own[T any](name string, wrap func(v any) Stage, can ...ability) kind {
	k := kind{name: name, path: name, typ: reflect.TypeFor[T](), wrap: wrap}
	for _, set := range can {
		set(&k.abilities)
	}
	return k
}

func wrapMap(v any) Stage { return &Mapping{v.(Map)} }

func init() {
	kinds = []kind{
		own[Scaling]("scaling", nil),
		own[Adaptation]("adaptation", nil),
		own[spd.Repair]("repair", func(v any) Stage { return &Repair{v.(*spd.Repair)} }),
		own[learners.Compression]("compression", wrapMap),
		own[feature.CSP]("csp", wrapMap, filters(filtersOfCSP)),
		own[classifiers.Reduction]("reduction", wrapMap),
		own[classifiers.LocalWhitening]("whitening", wrapMap),
		own[classifiers.GeodesicFilter]("geodesic-filter", wrapMap, filters(filtersOfDirections)),
		own[LogVariance]("log-variance", nil),
		own[classifiers.TangentSpace]("tangent", func(v any) Stage {
			return (*Tangent)(v.(*classifiers.TangentSpace))
		}),
		own[classifiers.TangentRegression]("tangent-regression", wrapRegression),
		own[classifiers.MatrixKNNRegression]("knn-regression", wrapRegression),
		own[feature.Model]("feature", func(v any) Stage { return &Filters{v.(*feature.Model)} }),
	}
	add[lvq.PLRSQ]("plrsq", "", learns(updatePrototypes))
	add[classify.MDM]("mdm", "", learns(updateMeans))
	add[classifiers.TangentLDA]("tslda", "")
	add[classifiers.TangentLogistic]("tslr", "")
	add[classifiers.ENuc]("enuc", "")
	add[classifiers.TangentSVM]("tssvm", "")
	add[classifiers.MatrixKNN]("knn-spd", "", learns(updateMatrixNeighbors))
	add[classifiers.MatrixSVM]("svm-spd", "")
	add[lvq.MatrixGMLVQ]("gmlvq", "")
	add[lvq.RSLVQ]("rslvq-raw", "")
	add[lvq.GMLVQ]("gmlvq-raw", "")
	add[classify.QDA]("qda", "", extends(extendGaussians))
	add[classify.LDA]("lda", "")
	add[classify.Logistic]("logistic", "")
	add[classify.Mixture]("mixture", "")
	add[classify.KNN]("knn", "", learns(updateNeighbors), extends(extendNeighbors))
	add[classifiers.SVM]("svm", "")
	add[classifiers.Parzen]("parzen", "")
}

// Register makes T a type that a model file can contain, under a permanent name. A pointer to T must be a [Stage], a
// [VectorClassifier] or a [MatrixClassifier]. Call it in an init function. It panics if the name or the type is already
// registered, or if *T is none of these.
//
// A file names the package of T, so a program that does not import it can report what is missing. Register T in its own
// package.
func Register[T any](name string) {
	add[T](name, packageOf(reflect.TypeFor[T]()))
}

// packageOf returns the package that a program imports for t. For an internal package, that is the package with the
// same path outside internal.
func packageOf(t reflect.Type) string {
	return strings.Replace(t.PkgPath(), "/internal/", "/", 1)
}

// RegisterMap is like [Register] for a type T for which *T is a [Map]. In a model, a [Mapping] contains the map. A file
// contains only the map.
func RegisterMap[T any](name string) {
	k := own[T](name, wrapMap)
	if _, ok := any(new(T)).(Map); !ok {
		panic(fmt.Sprintf("model: type *%v is not a map of matrices", k.typ))
	}
	k.pkg = packageOf(k.typ)
	put(k)
}

// Classifiers returns a new, unfitted value of each registered classifier type. Tests use it to find types that are
// missing from a table.
func Classifiers() []Classifier {
	kindsMu.RLock()
	defer kindsMu.RUnlock()
	var all []Classifier
	for _, k := range kinds {
		if cl, ok := reflect.New(k.typ).Interface().(Classifier); ok && kindOf(cl) != "" {
			all = append(all, cl)
		}
	}
	return all
}

func add[T any](name, pkg string, can ...ability) {
	typ := reflect.TypeFor[T]()
	path := "classifier"
	switch any(new(T)).(type) {
	case Stage:
		path = name
	case VectorClassifier, MatrixClassifier:
	default:
		panic(fmt.Sprintf("model: type *%v is neither a stage nor a classifier", typ))
	}
	k := kind{name: name, path: path, typ: typ, pkg: pkg}
	for _, set := range can {
		set(&k.abilities)
	}
	put(k)
}

func put(k kind) {
	kindsMu.Lock()
	defer kindsMu.Unlock()
	for _, other := range kinds {
		if other.name == k.name || other.typ == k.typ {
			panic(fmt.Sprintf("model: %s (%v) is registered twice", k.name, k.typ))
		}
	}
	kinds = append(kinds, k)
}

// kindNamed returns the kind with a name from a file. pkg is the package that registers it, also from the file.
func kindNamed(name, pkg string) (kind, error) {
	kindsMu.RLock()
	defer kindsMu.RUnlock()
	names := make([]string, len(kinds))
	for i, k := range kinds {
		if k.name == name {
			return k, nil
		}
		names[i] = k.name
	}
	if importable(pkg) {
		return kind{}, fmt.Errorf("the model has a part of type %q, which package %s registers; the program must "+
			"import that package", name, pkg)
	}
	return kind{}, &rao.UnknownError{Kind: "type of model", Name: name, Known: names}
}

// importable reports whether a text from a file looks like the path of a package.
func importable(pkg string) bool {
	return pkg != "" && len(pkg) < 200 && !strings.ContainsFunc(pkg, func(c rune) bool {
		return c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("/.-_~", c)
	})
}

// kindFor returns the kind of a stage or classifier, and the value to save.
func kindFor(v any) (k kind, value any, ok bool) {
	if w, ok := v.(wrapper); ok {
		v = w.inner()
	}
	t := reflect.TypeOf(v)
	kindsMu.RLock()
	defer kindsMu.RUnlock()
	for _, k := range kinds {
		if t == reflect.PointerTo(k.typ) {
			return k, v, true
		}
	}
	return kind{}, v, false
}

// NameOf returns the registered name of a stage or classifier, or its Go type if it is not registered.
func NameOf(v any) string {
	if k, _, ok := kindFor(v); ok {
		return k.name
	}
	return fmt.Sprintf("%T", v)
}
