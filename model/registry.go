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
	name string            // name in the file
	path string            // prefix of the names of its arrays
	typ  reflect.Type      // type of the value
	wrap func(v any) Stage // returns the stage around a value of a lower package; nil if the value is a stage
	pkg  string            // import path of the package that registered it; empty for the kinds of this package
	abilities
}

// wrapper is a stage around a value of a lower package.
type wrapper interface{ inner() any }

var (
	kindsMu sync.RWMutex
	kinds   []kind
)

func init() {
	add[Scaling]("scaling")
	add[Adaptation]("adaptation")
	add[spd.Repair]("repair", within(func(v *spd.Repair) Stage { return &repair{v} }))
	add[learners.Compression]("compression")
	add[feature.CSP]("csp")
	add[classifiers.Reduction]("reduction")
	add[classifiers.LocalWhitening]("whitening")
	add[classifiers.GeodesicFilter]("geodesic-filter")
	add[LogVariance]("log-variance")
	add[classifiers.TangentSpace]("tangent", within(func(v *classifiers.TangentSpace) Stage { return &tangent{v} }))
	add[classifiers.TangentRegression]("tangent-regression")
	add[classifiers.MatrixKNNRegression]("knn-regression")
	add[feature.Model]("feature", within(func(v *feature.Model) Stage { return &linear{v} }))
	add[lvq.PLRSQ]("plrsq", learns(updatePrototypes))
	add[classify.MDM]("mdm", learns(updateMeans))
	add[classifiers.TangentLDA]("tslda")
	add[classifiers.TangentLogistic]("tslr")
	add[classifiers.ENuc]("enuc")
	add[classifiers.TangentSVM]("tssvm")
	add[classifiers.MatrixKNN]("knn-spd", learns(updateMatrixNeighbors))
	add[classifiers.MatrixSVM]("svm-spd")
	add[lvq.MatrixGMLVQ]("gmlvq")
	add[lvq.RSLVQ]("rslvq-raw")
	add[lvq.GMLVQ]("gmlvq-raw")
	add[classify.QDA]("qda", extends(extendGaussians))
	add[classify.LDA]("lda")
	add[classify.Logistic]("logistic")
	add[classify.Mixture]("mixture")
	add[classify.KNN]("knn", learns(updateNeighbors), extends(extendNeighbors))
	add[classifiers.SVM]("svm")
	add[classifiers.Parzen]("parzen")
}

// Register makes T a type that a model file can contain, under a permanent name. A pointer to T must be a [Stage], a
// [Map], a [VectorClassifier] or a [MatrixClassifier]. Call it in an init function. It panics if the name or the type
// is already registered, if *T is none of these, or if an exported field of T has no json tag. [Wrap] returns the stage
// for a map; a file contains only the map.
//
// A file names the package of T, so a program that does not import it can report what is missing. Register T in its own
// package.
func Register[T any](name string) {
	add[T](name, from(packageOf(reflect.TypeFor[T]())))
}

// packageOf returns the package that a program imports for t. For an internal package, that is the package with the
// same path outside internal.
func packageOf(t reflect.Type) string {
	return strings.Replace(t.PkgPath(), "/internal/", "/", 1)
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

// add adds a kind. Only its value is saved if a stage contains it.
func add[T any](name string, set ...ability) {
	k := kind{name: name, path: name, typ: reflect.TypeFor[T]()}
	for _, set := range set {
		set(&k)
	}
	switch any(new(T)).(type) {
	case Stage:
	case Map:
		k.wrap = func(v any) Stage { return &mapping{v.(Map)} }
	case Regressor:
		k.wrap = func(v any) Stage { return &regression{v.(Regressor)} }
	case VectorClassifier, MatrixClassifier:
		k.path = "classifier"
	default:
		if k.wrap == nil {
			panic(fmt.Sprintf("model: type *%v is neither a stage, a map of matrices nor a classifier", k.typ))
		}
	}
	if k.typ.Kind() == reflect.Struct {
		for _, f := range fieldsInFile(k.typ) {
			if nameInFile(f) == "" {
				panic(fmt.Sprintf("model: field %s of %v has no name in files; give it a json tag", f.Name, k.typ))
			}
		}
	}
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
	return kind{}, fmt.Errorf("%w; use the version of rao that wrote the file, or a newer one",
		&rao.UnknownError{Kind: "type of model", Name: name, Known: names})
}

// importable reports whether a text from a file looks like the path of a package.
func importable(pkg string) bool {
	return pkg != "" && len(pkg) < 200 && !strings.ContainsFunc(pkg, func(c rune) bool {
		return c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("/.-_~", c)
	})
}

// kindFor returns the kind of a stage or classifier, and the value to save.
func kindFor(v any) (k kind, value any, ok bool) {
	v = Unwrap(v)
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

// Wrap returns the stage that contains v, a pointer to a fitted value of a registered type: a [Map], a [Regressor],
// filters, tangent vectors, or a repair of matrices. It panics if no stage contains such values.
func Wrap(v any) Stage {
	k, _, ok := kindFor(v)
	if !ok || k.wrap == nil {
		panic(fmt.Sprintf("model: no stage contains a %T; register its type", v))
	}
	return k.wrap(v)
}

// Unwrap returns the value in a stage, for which [Wrap] returns the stage, or the stage or classifier itself.
func Unwrap(v any) any {
	if w, ok := v.(wrapper); ok {
		return w.inner()
	}
	return v
}

// NameOf returns the registered name of a stage or classifier, or its Go type if it is not registered.
func NameOf(v any) string {
	if k, _, ok := kindFor(v); ok {
		return k.name
	}
	return fmt.Sprintf("%T", v)
}
