package method

import (
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/model"
	"rao/spd"
)

// trial is a documented value of an option. Every method with the option gets the value, and must then either fit a
// different model or return an error.
type trial struct {
	value string
	with  string // options by name=value that let it matter, for the plain fit too
	only  string // methods it is for; empty: all that read the option
	same  bool   // the value is the documented default: nothing may change
}

// trials lists the values to try for every option. An option without values fails the test.
var trials = map[string][]trial{
	"scale":  {{value: "none"}, {value: "column"}, {value: "std", same: true}},
	"center": {{value: "false"}, {value: "true", same: true}},
	"classifier": append(append(eachOnly(onVectorsOnly, "lda", "knn", "none", "lda-raw", "qda-raw:reg-param=0.2"),
		eachOnly("gapca", "fgmdm", "tslda", "tslda:shrinkage=0.5", "tslr", "enuc:l2=1", "knn-spd:neighbors=1",
			"svm-spd", "plrsq:epochs=2", "none")...),
		trial{value: "mixture", only: onVectorsOnly}, trial{value: "mixture:subclasses=2", only: "pca ama"},
		trial{value: "mdm", only: "csp"}, trial{value: "qda", only: "csp tangent"},
		trial{value: "none", only: "csp tangent"},
		trial{value: "lda:priors=0.6,0.2,0.1,0.1", only: "csp tangent"}, trial{value: "pca:filters=2", only: "tangent"},
		trial{value: "qda", only: onVectorsOnly, same: true},
		trial{value: "mdm", only: "gapca fgmdm", same: true},
		trial{value: "tslr", only: "fgmdm tssm tssm-fisher"}, trial{value: "none", only: "fgmdm tssm tssm-fisher"},
		trial{value: "tssvm", only: "fgmdm tssm tssm-fisher"},
		trial{value: "tslda", only: "tssm tssm-fisher", same: true}),
	"neighbors": {{value: "1", with: "classifier=knn"}, {value: "5", with: "classifier=knn", same: true}},
	"reg-param": {{value: "0.3"}, {value: "0", same: true}},
	"priors": append(each("uniform", "empirical", "PRIORS"),
		trial{value: "empirical", only: "pca lda fa spca gem ica lfda lmnn nca wda ama qda-raw lda-raw mixture-raw " +
			"tslda tssm tssm-fisher", same: true},
		trial{value: "uniform", only: "plrsq plrsq-le rslvq rslvq-raw", same: true},
		trial{value: "uniform", with: "classifier=none", only: "sqfa smsqfa bdm", same: true},
		trial{value: "empirical", with: "classifier=none aggregate=bayes", only: "sqfa smsqfa bdm", same: true}),
	"shrinkage": append(each("none", "oas", "ledoit_wolf", "0.5"),
		trial{value: "none", only: "sqfa smsqfa bdm pca lda fa spca gem ica lfda lmnn nca wda ama qda-raw lda-raw",
			same: true},
		trial{value: "ledoit_wolf", only: "fgmdm tslda tssm tssm-fisher", same: true}),
	"scatter-shrinkage": each("0", "0.9"),

	"filters":         each("1"),
	"keep-power":      {{value: "true"}, {value: "false", same: true}},
	"one-versus-rest": {{value: "true"}, {value: "false", same: true}},
	"noise":           each("auto", "0.5"),
	"distance": append(each(gaussian.Dissimilarities()...), trial{value: "chernoff", only: "bdm", same: true},
		trial{value: "chernoff:0.3", only: "bdm"}),
	"aggregate": {{value: "softmin"}, {value: "bayes"}, {value: "mean", same: true},
		{value: "bayes", with: "subclasses=2", same: true}},
	"subclasses": {{value: "2"}, {value: "auto"}, {value: "1", only: "sqfa smsqfa bdm", same: true},
		{value: "auto", only: "mixture-raw", same: true}},
	"pairs": {{value: "near:1", with: "aggregate=bayes", only: "sqfa smsqfa bdm"},
		{value: "all", only: "sqfa smsqfa bdm", same: true}},
	"subspace": {{value: "2", with: "filters=2 noise=0.1"}, {value: "none", same: true}},
	"beta":     {{value: "9", with: "aggregate=softmin"}, {value: "3", with: "aggregate=softmin", same: true}},
	"init": {{value: "random", only: onVectorsWithStart}, {value: "START", only: onVectorsWithStart},
		{value: "auto", same: true},
		{value: "means", with: "prototypes=2", only: seededPrototypes},
		{value: "means", only: seededPrototypes, same: true},
		{value: "kmeans", with: "prototypes=2", only: seededPrototypes, same: true},
		{value: "pca", with: "max-iter=2", only: "sqfa smsqfa bdm"},
		{value: "pca", with: "max-iter=2", only: "ama"},
		{value: "pca", only: "ica lmnn wda"}, {value: "pca", only: "nca", same: true}},
	"starts": {{value: "8", with: "init=random max-iter=2"}, {value: "1", with: "init=random", same: true}},
	"constraint": {{value: "orthogonal", with: "noise=0.3"}, {value: "none", with: "noise=0.3"},
		{value: "sphere", same: true}},
	"pairwise":        each("1"),
	"noisy-responses": {{value: "true"}, {value: "false", same: true}},
	"refine": {{value: "true"}, {value: "true", with: "classifier=mixture", only: "sqfa"},
		{value: "false", same: true}},
	"contrast":         {{value: "exp"}, {value: "cube"}, {value: "logcosh", same: true}},
	"deflation":        {{value: "true"}, {value: "false", same: true}},
	"em":               {{value: "true"}, {value: "false", same: true}},
	"loadings":         {{value: "true"}, {value: "false", same: true}},
	"noise-floor":      {{value: "0.02"}},
	"blend":            {{value: "0.5"}},
	"reg":              {{value: "2"}},
	"components":       {{value: "1", with: "filters=1"}, {value: "none", only: "lmnn", same: true}},
	"rows-per-class":   {{value: "10"}},
	"start-rows":       {{value: "20"}, {value: "none", same: true}},
	"target-neighbors": {{value: "1"}},
	"input-targets":    {{value: "true"}, {value: "false", same: true}},
	"push":             {{value: "0.9"}},
	"impostors":        {{value: "1"}},
	"rounds":           {{value: "1", with: "filters=1 inner=1"}},
	"inner":            {{value: "1"}},
	"local-neighbor":   {{value: "1"}},
	"ridge":            {{value: "2"}},
	"tol":              {{value: "0.9", with: "push=0.9 inner=1"}},
	"max-iter":         each("1"),
	"folds":            {{value: "2", with: "noise=auto"}},
	"seed": {{value: "7", with: "init=random rows-per-class=10 start-rows=20", only: seeded},
		{value: "7", with: "init=kmeans prototypes=2", only: seededPrototypes},
		{value: "7", with: "classifier=tssvm", only: "tssm tssm-fisher"}, {value: "1", same: true}},

	"decide": {{value: "nearest", with: "prototypes=2"}, {value: "posterior", same: true}},
	"metric": append(each(spd.Metrics()...),
		trial{value: "riemann", only: "mdm plrsq tslda tslr tssvm enuc tangent knn-spd", same: true},
		trial{value: "euclid", only: "csp gmlvq-spd", same: true},
		trial{value: "logeuclid", only: "svm-spd", same: true}),
	"target":       {{value: "person=1"}, {value: "none", same: true}},
	"tradeoff":     {{value: "0.3", with: "target=person=1"}, {value: "0.5", with: "target=person=1", same: true}},
	"class-weight": {{value: "balanced"}, {value: "none", same: true}},
	"weights":      {{value: "heavy"}, {value: "none", same: true}},
	"mean-tol":     {{value: "0.5"}, {value: "1e-9", same: true}},
	"repair": {{value: "drop:2"}, {value: "shrink:0.1"}, {value: "floor:0.9"},
		{value: "auto", with: "DAMAGED"}, {value: "none", same: true}},
	"whiten": {{value: "local"}, {value: "none", same: true}},
	"reduce": {{value: "sqfa:2"}, {value: "enuc:2"}, {value: "csp:2"}, {value: "none", same: true}},
	"adapt": {{value: "center"}, {value: "smooth"}, {value: "balanced"}, {value: "causal"}, {value: "bias"},
		{value: "none", same: true}},
	"adapt-rate":  {{value: "0.3", with: "adapt=bias"}, {value: "0.5", with: "adapt=causal"}},
	"prototypes":  {{value: "2"}, {value: "1", same: true}},
	"sigma2":      {{value: "0.7"}},
	"soft-labels": {{value: "SOFT"}},
	"anneal": {{value: "published"}, {value: "fixed"}, {value: "monotone"}, {value: "learned"},
		{value: "none", same: true}},
	"schedule":        {{value: "adaptive"}, {value: "published", same: true}},
	"epochs":          {{value: "1"}},
	"learning-rate":   {{value: "0.9"}},
	"batch":           {{value: "4"}, {value: "1", same: true}},
	"validation":      {{value: "0.3"}},
	"calibration":     {{value: "0"}, {value: "3"}},
	"reject-error":    {{value: "0.01"}},
	"reject-coverage": {{value: "0.5"}},
	"reject-outliers": {{value: "0.9"}},
	"c":               {{value: "0.01"}},
	"nuclear":         {{value: "0.3"}, {value: "0"}},
	"l2":              {{value: "0.3"}, {value: "0"}},
	"reduced-order":   {{value: "2"}},
	"gamma":           {{value: "0.01"}},
}

// onVectorsOnly are the methods of vectors that learn features.
const onVectorsOnly = "sqfa smsqfa bdm pca lda fa spca gem ica lfda lmnn nca wda ama"

// onVectorsWithStart are the methods whose option init names filters.
const onVectorsWithStart = "sqfa smsqfa bdm ica lmnn nca wda ama"

// seeded and seededPrototypes are the methods that draw random numbers with any classifier.
const (
	seeded           = "ama bdm enuc ica lmnn nca smsqfa sqfa svm-raw svm-spd tssvm wda"
	seededPrototypes = "glvq-raw gmlvq-raw gmlvq-spd lgmlvq-raw plrsq plrsq-le rslvq rslvq-raw"
)

func eachOnly(only string, values ...string) []trial {
	out := each(values...)
	for i := range out {
		out[i].only = only
	}
	return out
}

func each(values ...string) []trial { return eachWith("", values...) }

func eachWith(with string, values ...string) []trial {
	out := make([]trial, len(values))
	for i, v := range values {
		out[i].value, out[i].with = v, with
	}
	return out
}

// ownDefaults lists, for each method, the option values that equal the method's automatic choice: these are not
// expected to change anything.
var ownDefaults = map[string]string{
	"sqfa distance": "calvo_oller", "smsqfa distance": "riemann", "bdm distance": "bhattacharyya",
}

// Every documented value of every option of every method changes the fit or is rejected, and the defaults are the ones
// in the help.
func TestEveryOptionOfEveryMethodDoesWhatItSays(t *testing.T) {
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			b := newOptionBench(t, m)
			for _, o := range m.Options {
				list, ok := trials[o.Name]
				if !ok {
					t.Errorf("option %s has no value to try: add one to trials", o.Name)
				}
				for _, v := range append(o.Choices(), words(o.Type)...) {
					if v != o.Default && !slices.ContainsFunc(list, func(c trial) bool { return c.value == v }) {
						t.Errorf("option %s: nothing tries %s", o.Name, v)
					}
				}
				for _, c := range list {
					b.try(o.Name, c)
				}
				if _, set := quick().Get(o.Name); !set {
					b.try(o.Name, trial{value: o.Default, same: true})
				}
			}
		})
	}
}

// words returns the values by name in the type of an option, such as auto in count|auto.
func words(kind string) []string {
	var out []string
	for _, w := range strings.Split(kind, "|") {
		kind := slices.Contains([]string{"number", "count", "text", "switch", "choice", "number,..."}, w)
		if !kind && w == strings.ToLower(w) && w != "auto" { // auto is tried where it is the default
			out = append(out, w)
		}
	}
	return out
}

// optionBench fits one method with many settings, and stores the fits without additional settings.
type optionBench struct {
	t     *testing.T
	m     *Method
	plain map[string]fitted
	start string // file of starting filters
}

func newOptionBench(t *testing.T, m *Method) *optionBench {
	f := mat.NewDense(6, 2, nil)
	f.Set(1, 0, 1)
	f.Set(4, 1, 1)
	return &optionBench{t: t, m: m, plain: map[string]fitted{}, start: writeFilters(t, f)}
}

func (b *optionBench) try(option string, c trial) {
	reads := func(name string) bool {
		_, err := b.m.Option(name)
		return err == nil
	}
	if c.only != "" && !strings.Contains(" "+c.only+" ", " "+b.m.Name+" ") {
		return
	}
	if !c.same && ownDefaults[b.m.Name+" "+option] == c.value {
		c.same = true
	}
	if !c.same {
		for _, d := range trials[option] { // a documented default, given by name
			if d.same && d.value == c.value && d.with == c.with &&
				(d.only == "" || strings.Contains(" "+d.only+" ", " "+b.m.Name+" ")) {
				return
			}
		}
	}
	var with []string
	for _, o := range strings.Fields(c.with) {
		if name, _, _ := strings.Cut(o, "="); name == "DAMAGED" || reads(name) {
			with = append(with, o)
		}
	}
	if o, err := b.m.Option(option); err == nil { // what it has a meaning with
		for name, values := range o.conditions(b.m.Options) {
			if !strings.Contains(c.with, name+"=") {
				with = append(with, name+"="+values[0])
			}
		}
	}
	key := strings.Join(with, " ")
	if _, ok := b.plain[key]; !ok {
		b.plain[key] = b.fit(with)
	}
	plain := b.plain[key]
	if plain.err != nil && key != "DAMAGED" {
		b.t.Errorf("with %q: %v", key, plain.err)
		return
	}
	got := b.fit(append(with, option+"="+c.value))
	switch {
	case got.err != nil && c.same:
		b.t.Errorf("--%s %s is the documented default with %q and is refused: %v", option, c.value, key, got.err)
	case got.err == nil && c.same && !floats.EqualApprox(got.says, plain.says, 1e-9):
		b.t.Errorf("--%s %s is the documented default with %q and gives another fit", option, c.value, key)
	case got.err == nil && !c.same && got.digest == plain.digest:
		b.t.Errorf("--%s %s changes nothing (with %q)", option, c.value, key)
	}
}

// fitted is the result of a fit.
type fitted struct {
	digest string    // of all arrays of the model and of what it says of the data
	says   []float64 // log-posteriors, or features where there is no classifier
	err    error
}

// fit fits with the options on top of quick ones.
func (b *optionBench) fit(options []string) fitted {
	set := b.m.only(quick())
	damaged := false
	for _, o := range options {
		if damaged = damaged || o == "DAMAGED"; o == "DAMAGED" {
			continue
		}
		name, value, _ := strings.Cut(o, "=")
		switch {
		case value == "PRIORS" && b.m.Matrices:
			value = "0.6,0.2,0.1,0.1"
		case value == "PRIORS":
			value = "0.6,0.3,0.1"
		case value == "SOFT":
			value = softLabels(b.t, unbalanced(toyMatrices(b.t), 16))
		case value == "START":
			value = b.start
		}
		set = set.With(name, value)
	}
	var d *dataset.Data
	if b.m.Matrices {
		if d = unbalanced(toyMatrices(b.t), 16); damaged {
			twice(d.Stack)
		}
		person := &dataset.Array{Name: "person", Shape: []int{d.N()}}
		heavy := &dataset.Array{Name: "heavy", Shape: []int{d.N()}}
		for i := range d.N() {
			person.Int64, heavy.Float64 = append(person.Int64, int64(i%2)), append(heavy.Float64, float64(1+i%5))
		}
		d.Vars = map[string]*dataset.Array{"person": person, "heavy": heavy}
	} else {
		d = unbalanced(toyVectors(b.t), 60)
	}
	m, err := b.m.Fit(background, InMemory{Data: d}, set, nil)
	if err != nil && !rao.IsNotConverged(err) {
		return fitted{err: err}
	}
	return describe(b.t, m, d)
}

// softLabels writes probabilities of 0.7 for the labels, and 0.1 for each other class.
func softLabels(t *testing.T, d *dataset.Data) string {
	p := mat.NewDense(d.N(), 4, nil)
	for i, y := range d.Labels {
		for c := range 4 {
			p.Set(i, c, 0.1)
		}
		p.Set(i, y, 0.7)
	}
	return writeFilters(t, p)
}

// unbalanced keeps at most per/3 rows of the first class and per rows of each other class.
func unbalanced(d *dataset.Data, per int) *dataset.Data {
	seen, keep := map[int]int{}, []int(nil)
	for i, l := range d.Labels {
		limit := per
		if l == 0 {
			limit = per / 3
		}
		if seen[l]++; seen[l] <= limit {
			keep = append(keep, i)
		}
	}
	return d.Subset(keep)
}

// twice makes the second channel of every matrix a copy of the first.
func twice(x *spd.Stack) {
	for k := range x.Count {
		a := x.At(k)
		for j := range x.Dim {
			a[x.Dim+j] = a[j]
		}
		for i := range x.Dim {
			a[i*x.Dim+1] = a[i*x.Dim]
		}
	}
}

// describe returns a digest of the arrays of a model and its predictions on d. Names, numbers that repeat an option,
// and reports are left out.
func describe(t *testing.T, m *model.Model, d *dataset.Data) (f fitted) {
	h := fnv.New128a()
	digestArrays(h, reflect.ValueOf(m.Stages))
	digestArrays(h, reflect.ValueOf(m.Classifier))
	var err error
	switch {
	case m.Classifier != nil:
		var p *model.Prediction
		if p, err = Predict(background, m, d); err == nil {
			digestArrays(h, reflect.ValueOf(p))
			f.says = p.LogPosterior.RawMatrix().Data
		}
	case m.Features() > 0:
		var z model.Batch
		if z, err = m.Transform(background, model.BatchOf(d)); err == nil {
			digestArrays(h, reflect.ValueOf(z))
			if z.Stack != nil {
				f.says = z.Stack.Contiguous()
			} else {
				f.says = mat.DenseCopyOf(z.X).RawMatrix().Data
			}
		}
	}
	testkit.NoError(t, err)
	f.digest = fmt.Sprintf("%x", h.Sum(nil))
	return f
}

func digestArrays(w io.Writer, v reflect.Value) {
	if !v.IsValid() {
		return
	}
	switch x := v.Interface().(type) {
	case rao.Report, []rao.Report:
		return
	case *mat.Dense:
		if x != nil {
			fmt.Fprintln(w, x.RawMatrix().Data)
		}
		return
	case []float64, []int, []bool, []float32:
		fmt.Fprintln(w, x)
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			digestArrays(w, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				digestArrays(w, v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			digestArrays(w, v.Index(i))
		}
	}
}
