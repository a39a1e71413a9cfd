package model

import (
	"fmt"
	"reflect"
	"sync"

	"rao/classify"
	"rao/eeg/spatial"
	"rao/feature"
	"rao/internal/suggest"
	"rao/lvq"
	"rao/spd"
)

// kind is a type that a model file can hold.
type kind struct {
	name string       // in the file
	path string       // what the names of its arrays begin with
	typ  reflect.Type // of the value
	// wrap makes the stage of a value of a lower package, which alone is saved.
	wrap func(v any) Stage
}

// wrapper is a stage around a value of a lower package.
type wrapper interface{ inner() any }

func (f *Filters) inner() any { return f.Model }
func (r *Repair) inner() any  { return r.Repair }

var (
	kindsMu sync.RWMutex
	kinds   []kind
)

func wrapMap(v any) Stage { return &Mapping{v.(Map)} }

func init() {
	kinds = []kind{
		{"scaling", "scaling", reflect.TypeFor[Scaling](), nil},
		{"adaptation", "adaptation", reflect.TypeFor[Adaptation](), nil},
		{"repair", "repair", reflect.TypeFor[spd.Repair](), func(v any) Stage { return &Repair{v.(*spd.Repair)} }},
		{"compression", "compression", reflect.TypeFor[feature.Compression](), wrapMap},
		{"csp", "csp", reflect.TypeFor[feature.CSP](), wrapMap},
		{"reduction", "reduction", reflect.TypeFor[classify.Reduction](), wrapMap},
		{"whitening", "whitening", reflect.TypeFor[classify.LocalWhitening](), wrapMap},
		{"geodesic-filter", "geodesic-filter", reflect.TypeFor[classify.GeodesicFilter](), wrapMap},
		{"submanifold", "submanifold", reflect.TypeFor[classify.Submanifold](), wrapMap},
		{"log-variance", "log-variance", reflect.TypeFor[LogVariance](), nil},
		{"filter-bank", "filter-bank", reflect.TypeFor[spatial.FilterBank](),
			func(v any) Stage { return &FilterBank{v.(*spatial.FilterBank)} }},
		{"evoked", "evoked", reflect.TypeFor[spatial.Evoked](),
			func(v any) Stage { return &Evoked{v.(*spatial.Evoked)} }},
		{"tangent", "tangent", reflect.TypeFor[classify.TangentSpace](),
			func(v any) Stage { return &Tangent{v.(*classify.TangentSpace)} }},
		{"tangent-regression", "tangent-regression", reflect.TypeFor[classify.TangentRegression](), wrapRegression},
		{"knn-regression", "knn-regression", reflect.TypeFor[classify.MatrixKNNRegression](), wrapRegression},
		{"feature", "feature", reflect.TypeFor[feature.Model](),
			func(v any) Stage { return &Filters{v.(*feature.Model)} }},
	}
	Register[lvq.PLRSQ]("plrsq")
	Register[classify.MDM]("mdm")
	Register[classify.FgMDM]("fgmdm")
	Register[classify.TangentLDA]("tslda")
	Register[classify.TangentLogistic]("tslr")
	Register[classify.ENuc]("enuc")
	Register[classify.TangentSVM]("tssvm")
	Register[classify.TSSM]("tssm")
	Register[classify.MatrixKNN]("knn-spd")
	Register[classify.MatrixSVM]("svm-spd")
	Register[lvq.MatrixGMLVQ]("gmlvq")
	Register[lvq.RSLVQ]("rslvq-raw")
	Register[lvq.GMLVQ]("gmlvq-raw")
	Register[classify.QDA]("qda")
	Register[classify.LDA]("lda")
	Register[classify.Mixture]("mixture")
	Register[classify.KNN]("knn")
	Register[classify.SVM]("svm")
	Register[classify.Parzen]("parzen")
}

// Register makes T a type that a model file can hold, under a name that is never given
// another meaning. A pointer to T must be a [Stage], a [VectorClassifier] or a
// [MatrixClassifier]. Call it in an init function; it panics when the name or the type
// is taken, or *T is none of these.
func Register[T any](name string) {
	typ := reflect.TypeFor[T]()
	path := "classifier"
	switch any(new(T)).(type) {
	case Stage:
		path = name
	case VectorClassifier, MatrixClassifier:
	default:
		panic(fmt.Sprintf("model: a *%v is neither a stage nor a classifier", typ))
	}
	kindsMu.Lock()
	defer kindsMu.Unlock()
	for _, k := range kinds {
		if k.name == name || k.typ == typ {
			panic(fmt.Sprintf("model: %s (%v) is registered twice", name, typ))
		}
	}
	kinds = append(kinds, kind{name: name, path: path, typ: typ})
}

// kindNamed returns the kind of that name in a file.
func kindNamed(name string) (kind, error) {
	kindsMu.RLock()
	defer kindsMu.RUnlock()
	names := make([]string, len(kinds))
	for i, k := range kinds {
		if k.name == name {
			return k, nil
		}
		names[i] = k.name
	}
	return kind{}, suggest.Unknown("type of model", name, names)
}

// kindFor returns the kind of a stage or classifier, and the value that is saved.
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

// NameOf returns the name under which a stage or classifier is registered, its Go type when it is
// not.
func NameOf(v any) string {
	if k, _, ok := kindFor(v); ok {
		return k.name
	}
	return fmt.Sprintf("%T", v)
}
