package onnx

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/classifiers"
	"rao/internal/par"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/spd"
)

func vectors() *dataset.Data {
	r := rand.New(rand.NewPCG(3, 4))
	x, y := make([]float64, 150*6), make([]int, 150)
	for i := range y {
		y[i] = i % 3
		for j := range 6 {
			x[6*i+j] = 100 + 5*r.NormFloat64()
			if j == y[i] {
				x[6*i+j] += 12
			}
		}
	}
	return &dataset.Data{Source: "test", X: dataset.NewTable(150, 6, x), Labels: y,
		Classes: []string{"ant", "bee", "cat"}}
}

func matricesOf(n int) *dataset.Data {
	r := rand.New(rand.NewPCG(5, 6))
	x, y := spd.NewStack(90, n), make([]int, 90)
	for k := range y {
		y[k] = k % 3
		a := mat.NewDense(n, 5*n, nil)
		a.Apply(func(i, _ int, _ float64) float64 {
			s := 1 + float64(i)
			if i == y[k] {
				s *= 1.6
			}
			return s * r.NormFloat64()
		}, a)
		var s mat.SymDense
		s.SymOuterK(1/float64(5*n), a)
		x.Set(k, &s)
	}
	return &dataset.Data{Source: "test", Stack: x, Labels: y, Classes: []string{"left", "right", "up"}}
}

func fit(t *testing.T, name string, d *dataset.Data, options ...string) *model.Model {
	t.Helper()
	method := testkit.Must(method.Lookup(name))(t)
	var set = settings(options)
	m := testkit.Fitted(method.Fit(t.Context(), methodSource(d), set, nil))(t)
	return m
}

func settings(options []string) (set method.Settings) {
	for i := 0; i < len(options); i += 2 {
		set = set.With(options[i], options[i+1])
	}
	return set
}

func methodSource(d *dataset.Data) method.TrainingData { return method.InMemory{Data: d} }

// onTraining compares the graph with the model on the training data, all of which the graph must mark as valid. It
// returns the graph.
func onTraining(t *testing.T, m *model.Model, d *dataset.Data, opt ExportOptions, tol float64) *graph {
	t.Helper()
	testkit.NoError(t, Export(t.Context(), new(bytes.Buffer), m, opt), m.Method)
	g := testkit.Must(build(m, &opt))(t)
	x := &tensor{}
	if d.Stack != nil {
		x.shape, x.values = []int{d.Stack.Count, d.Stack.Dim, d.Stack.Dim}, d.Stack.Data
	} else {
		dense := d.X.Dense()
		n, c := dense.Dims()
		x.shape, x.values = []int{n, c}, dense.RawMatrix().Data
	}
	out := testkit.Must(g.run(map[string]*tensor{"X": x}))(t)
	want := testkit.Must(m.Predict(t.Context(), model.BatchOf(d)))(t)
	worst := 0.0
	for i, v := range want.LogPosterior.RawMatrix().Data {
		worst = math.Max(worst, math.Abs(out["probabilities"].values[i]-math.Exp(v)))
	}
	if !(worst <= tol) {
		t.Errorf("%s: probabilities differ by %g", m.Method, worst)
	}
	for i, l := range want.Label {
		testkit.Equal(t, out["label"].texts[i], m.Classes[l], m.Method, "label", i)
	}
	if v := out["valid"]; v != nil {
		for i, ok := range v.bools {
			if !ok {
				t.Errorf("%s: matrix %d of the training is not valid", m.Method, i)
			}
		}
	}
	return g
}

func TestVectorModels(t *testing.T) {
	d := vectors()
	for _, c := range []struct {
		name    string
		options []string
	}{
		{"sqfa", []string{"filters", "2", "noise", "0.1"}},
		{"pca", []string{"filters", "3", "scale", "column", "classifier", "lda"}},
		{"lda", []string{"center", "false"}},
		{"qda-raw", nil},
		{"lda-raw", []string{"scale", "none"}},
		{"rslvq-raw", []string{"epochs", "5", "sigma2", "1", "prototypes", "2"}},
		{"rslvq-raw", []string{"epochs", "5", "prototypes", "2", "decide", "nearest", "priors", "0.2,0.3,0.5"}},
		{"glvq-raw", []string{"epochs", "5"}},
		{"gmlvq-raw", []string{"epochs", "5", "scale", "column", "prototypes", "3"}},
		{"lgmlvq-raw", []string{"epochs", "5", "prototypes", "2"}},
		{"ica", []string{"classifier", "lda-raw"}},
		{"mixture-raw", []string{"subclasses", "2"}},
		{"sqfa", []string{"filters", "2", "noise", "0.1", "classifier", "mixture-raw"}},
		{"knn-raw", nil},
		{"knn-raw", []string{"neighbors", "140"}}, // nearly all
		{"lda", []string{"classifier", "knn-raw"}},
	} {
		onTraining(t, fit(t, c.name, d, c.options...), d, ExportOptions{}, 1e-10)
	}
}

func TestSinglePrecision(t *testing.T) {
	d := vectors()
	onTraining(t, fit(t, "sqfa", d, "filters", "2", "noise", "0.1"), d, ExportOptions{Float32: true}, 1e-3)
}

func TestMatrixModels(t *testing.T) {
	d := matricesOf(5)
	quick := []string{"epochs", "3", "sigma2", "1"}
	for _, c := range []struct {
		name    string
		options []string
	}{
		{"mdm", nil},
		{"mdm", []string{"metric", "logeuclid"}},
		{"mdm", []string{"metric", "euclid"}},
		{"fgmdm", nil},
		{"tslda", nil},
		{"tslr", nil},
		{"enuc", nil},
		{"tssm", nil},
		{"tangent", []string{"classifier", "lda-raw"}},
		{"gapca", []string{"classifier", "mdm"}},
		{"csp", nil},
		{"gmlvq-spd", []string{"epochs", "3", "prototypes", "2"}},
		{"knn-spd", []string{"metric", "logeuclid"}},
		{"knn-spd", []string{"metric", "euclid"}},
		{"tangent", []string{"classifier", "knn-raw"}},
		{"plrsq", append([]string{"prototypes", "2"}, quick...)},
		{"plrsq", append([]string{"priors", "0.2,0.3,0.5"}, quick...)},
		{"plrsq-le", quick},
		{"plrsq", append([]string{"prototypes", "2", "decide", "nearest", "priors", "0.2,0.3,0.5"}, quick...)},
	} {
		onTraining(t, fit(t, c.name, d, c.options...), d, ExportOptions{}, 1e-10)
	}
}

func TestFeatures(t *testing.T) {
	d := vectors()
	m := fit(t, "pca", d, "filters", "2", "classifier", "none")
	var b bytes.Buffer
	testkit.NoError(t, Export(t.Context(), &b, m, ExportOptions{}))
	m = fit(t, "sqfa", d, "filters", "2", "noise", "0.1")
	testkit.NoError(t, Export(t.Context(), &b, m, ExportOptions{Outputs: []string{"features", "probabilities"}}))
}

// The output valid is true up to the condition number, and false beyond it.
func TestValidWithinTheConditionNumber(t *testing.T) {
	const n = 4
	for _, bound := range []float64{1e2, 1e4, 1e6, 1e8} {
		g := newGraph(false)
		g.inputs = []value{{"X", float64Kind, []int{-1, n, n}}}
		m := &matrices{graph: g, x: "X", n: n, condition: bound}
		g.output("log", m.logarithm("X"), float64Kind, -1, n, n)
		g.valid(m)
		for _, c := range []struct {
			condition float64
			valid     bool
		}{{1, true}, {10, true}, {bound, true}, {bound * 1e3, false}} {
			x := make([]float64, n*n)
			for i := range n {
				x[i*n+i] = math.Pow(c.condition, -float64(i)/(n-1)) * 1e-12 // microvolts squared
			}
			out := testkit.Must(g.run(map[string]*tensor{"X": {shape: []int{1, n, n}, values: x}}))(t)
			testkit.Equal(t, out["valid"].bools[0], c.valid, "bound", bound, "a matrix of condition", c.condition,
				"is valid:", !c.valid)
			for i := range n {
				if want := math.Log(x[i*n+i]); c.valid && math.Abs(out["log"].values[i*n+i]-want) > 1e-12*bound/10+
					1e-12 {
					t.Errorf("bound %g, condition %g: logarithm %v, not %v",
						bound, c.condition, out["log"].values[i*n+i], want)
				}
			}
		}
		negative := make([]float64, n*n)
		for i := range n {
			negative[i*n+i] = 1 - float64(i)
		}
		out, err := g.run(map[string]*tensor{"X": {shape: []int{1, n, n}, values: negative}})
		if err != nil || out["valid"].bools[0] {
			t.Errorf("a matrix that is not positive definite is valid (%v)", err)
		}
	}
}

// otherFeatures is a stage that cannot be exported as a graph.
type otherFeatures struct{ model.LogVariance }

func ofOtherFeatures(m *model.Model) *model.Model {
	for i, s := range m.Stages {
		if _, ok := s.(*model.LogVariance); ok {
			m.Stages[i] = new(otherFeatures)
		}
	}
	return m
}

func TestWhatAGraphCannotSay(t *testing.T) {
	d := matricesOf(4)
	for _, c := range []struct {
		m    *model.Model
		opt  ExportOptions
		says string
	}{
		{fit(t, "mdm", d, "adapt", "center"), ExportOptions{}, "adapt"},
		{fit(t, "mdm", d, "metric", "wasserstein"), ExportOptions{}, "use one of euclid, logeuclid, riemann"},
		{fit(t, "mdm", d, "metric", "harmonic"), ExportOptions{}, "use one of euclid, logeuclid, riemann"},
		{fit(t, "knn-spd", d), ExportOptions{}, "use one of euclid, logeuclid"},
		{fit(t, "svm-spd", d), ExportOptions{}, "the classifier svm-spd cannot be exported; use another, such as mdm"},
		{ofOtherFeatures(fit(t, "csp", d)), ExportOptions{}, "the stage *onnx.otherFeatures cannot be exported"},
		{fit(t, "mdm", d), ExportOptions{Float32: true}, "single precision"},
		{fit(t, "mdm", d), ExportOptions{Outputs: []string{"label", "color"}}, `"color"`},
		{fit(t, "mdm", d), ExportOptions{Condition: 1e12}, "condition"},
		{fit(t, "mdm", d, "metric", "euclid"), ExportOptions{Condition: 1e4}, "has no effect"},
		{fit(t, "qda-raw", vectors()), ExportOptions{Condition: 1e4}, "has no effect"},
		{fit(t, "pca", vectors(), "classifier", "none"), ExportOptions{Outputs: []string{"label"}}, "classifier"},
	} {
		var b bytes.Buffer
		err := Export(t.Context(), &b, c.m, c.opt)
		testkit.ErrorContains(t, err, c.says, c.m.Method, "does not say")
		if b.Len() > 0 {
			t.Errorf("%s: %d bytes were written", c.m.Method, b.Len())
		}
	}
}

// A wrong graph is not written.
func TestTheCheckFindsAWrongGraph(t *testing.T) {
	m := fit(t, "qda-raw", vectors())
	g := testkit.Must(build(m, &ExportOptions{}))(t)
	for _, c := range g.constants {
		if len(c.values) > 1 {
			c.values[1] += 1e-3
		}
	}
	testkit.Fails(t, g.check(t.Context(), m), "a graph with other constants passes")
}

// Equal models give identical files.
func TestExportIsDeterministic(t *testing.T) {
	m := fit(t, "tslda", matricesOf(4))
	var a, b bytes.Buffer
	testkit.NoError(t, Export(t.Context(), &a, m, ExportOptions{}))
	testkit.NoError(t, Export(t.Context(), &b, m, ExportOptions{}))
	testkit.EqualSlices(t, a.Bytes(), b.Bytes(), "two exports differ")
}

// An observation with a value that is not finite gets no class, for any classifier.
func TestWhatIsNotFiniteHasNoLabel(t *testing.T) {
	vectors, matrices := vectors(), matricesOf(5)
	for _, c := range []struct {
		name    string
		d       *dataset.Data
		options []string
	}{
		{"sqfa", vectors, []string{"filters", "2", "noise", "0.1"}},
		{"lda-raw", vectors, nil},
		{"mixture-raw", vectors, []string{"subclasses", "2"}},
		{"knn-raw", vectors, nil},
		{"knn-raw", vectors, []string{"neighbors", "140"}},
		{"mdm", matrices, nil},
		{"csp", matrices, nil},
		{"knn-spd", matrices, []string{"metric", "euclid"}},
	} {
		for _, single := range []bool{false, true} {
			if single && c.d.Stack != nil {
				continue
			}
			g := testkit.Must(build(fit(t, c.name, c.d, c.options...), &ExportOptions{Float32: single}))(t)
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				row := []float64{100, 101, 99, 100, 110, 98}
				x := &tensor{shape: []int{2, 6}, values: slices.Concat(row, row)}
				if c.d.Stack != nil {
					x = &tensor{shape: []int{2, 5, 5}, values: slices.Clone(c.d.Stack.Data[:50])}
				}
				x.values[0] = bad
				out := testkit.Must(g.run(map[string]*tensor{"X": x}))(t)
				if l := out["label"].texts; l[0] != "" || l[1] == "" {
					t.Errorf("%s: with %v the labels are %q", c.name, bad, l)
				}
				if p := out["probabilities"].values; !math.IsNaN(p[0]) || math.IsNaN(p[3]) {
					t.Errorf("%s: with %v the probabilities are %v", c.name, bad, p)
				}
			}
		}
	}
}

// own is a classifier of another module whose decisions have a known form.
type own struct {
	*classifiers.TangentLDA `json:"tangent_lda"`
}

func TestOtherClassifiersOfAFormHaveGraphs(t *testing.T) {
	model.Register[own]("test-own")
	m := fit(t, "tslda", matricesOf(4))
	m.Classifier = &own{m.Classifier.(*classifiers.TangentLDA)}
	if err := Export(t.Context(), new(bytes.Buffer), m, ExportOptions{}); err != nil { // which compares with the model
		t.Error(err)
	}
}

// hasGraph reports whether a classifier can be exported.
func hasGraph(cl model.Classifier) bool {
	return find(vectorClassifiers, cl) != nil || find(matrixClassifiers, cl) != nil
}

// withoutGraph lists the classifiers that cannot be exported as a graph.
var withoutGraph = []string{"parzen", "svm", "svm-spd", "tssvm"}

// Every registered classifier has an entry in a table of graphs, or is known to have none.
func TestEveryClassifierHasAGraphOrIsKnownToHaveNone(t *testing.T) {
	for _, cl := range model.Classifiers() {
		if name := model.NameOf(cl); hasGraph(cl) == slices.Contains(withoutGraph, name) {
			t.Errorf("%s: hasGraph is %v; add an entry to vectorClassifiers or matrixClassifiers in parts.go, or "+
				"correct withoutGraph", name, hasGraph(cl))
		}
	}
}

// The check of a graph counts its nodes, so that the tool can show the time left.
func TestTheCheckOfAGraphIsCounted(t *testing.T) {
	m := fit(t, "mdm", matricesOf(8))
	g := testkit.Must(build(m, new(ExportOptions)))(t)
	_, x, err := probe(m)
	testkit.NoError(t, err)
	defer par.Watch()()
	checked := make(chan error, 1)
	counted := func() bool {
		go func() { checked <- testkit.ErrorOf(g.run(x)) }()
		for {
			select {
			case err := <-checked:
				testkit.NoError(t, err)
				return false
			default:
				if _, total, _ := par.Running(); total == len(g.nodes) {
					testkit.NoError(t, <-checked)
					return true
				}
			}
		}
	}
	for range 1000 {
		if counted() {
			return
		}
	}
	t.Error("the nodes are not counted")
}
