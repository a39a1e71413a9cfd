package model

import (
	"archive/zip"
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/classifiers"
	toys "rao/internal/synth"
	"rao/internal/testkit"
	"rao/lvq"
	"rao/spd"
	"rao/sqfa"
	"rao/synth"
)

// vectorModel returns SQFA with QDA fitted to toy problem 1.
func vectorModel(t testing.TB) (*Model, *dataset.Data) {
	t.Helper()
	d := testkit.Must(synth.Generate("toy1", synth.GenerateOptions{PerClass: 60, Seed: 3}))(t)
	s := testkit.Must(gaussian.Estimate(d.X, d.Labels, d.Classes))(t)
	shift := []float64{0.1, 0, 0, 0, 0, 0}
	prepared := s.Affine(shift, []float64{2})
	f := testkit.Must(sqfa.Fit(context.Background(), prepared, sqfa.Options{Filters: 2, Noise: 0.01}))(t)
	q := testkit.Must(classify.FitQDA(f.Statistics(prepared), classify.QDAOptions{}))(t)
	return &Model{Method: "sqfa", Options: []evaluate.Setting{{Name: "filters", Value: "2"}}, Classes: d.Classes,
		Input:      Schema{Kind: KindVectors, Dim: 6},
		Stages:     []Stage{&Scaling{Shift: shift, Scale: []float64{2}}, Wrap(f)},
		Classifier: q, Report: f.Report, Seconds: Seconds{Fit: 0.5}, RejectBelow: 0.4}, d
}

// matrixModel returns PLRSQ fitted to three classes of diagonal matrices.
func matrixModel(t testing.TB) (*Model, *spd.Stack) {
	t.Helper()
	x := spd.NewStack(30, 3)
	labels := make([]int, x.Count)
	for k := range x.Count {
		labels[k] = k % 3
		for i := range 3 {
			x.At(k)[4*i] = 1 + 0.1*float64(k/3)
		}
		x.At(k)[4*labels[k]] *= 5
	}
	p := testkit.Fitted(lvq.FitPLRSQ(context.Background(), x, labels, nil, lvq.PLRSQOptions{Epochs: 3}))(t)
	return &Model{Method: "plrsq", Classes: []string{"a", "b", "c"},
		Input:      Schema{Kind: KindMatrices, Dim: 3, Channels: []string{"C3", "Cz", "C4"}},
		Classifier: p, Report: p.Report}, x
}

var ctx = context.Background()

func save(t testing.TB, m *Model) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.rao")
	testkit.NoError(t, m.Save(path))
	return path
}

func TestModelOfVectorsComesBackWhole(t *testing.T) {
	m, d := vectorModel(t)
	got := testkit.Must(Load(save(t, m)))(t)
	if got.Method != m.Method || !reflect.DeepEqual(got.Options, m.Options) ||
		!reflect.DeepEqual(got.Classes, m.Classes) ||
		!reflect.DeepEqual(got.Input, m.Input) || !reflect.DeepEqual(got.Stages[0], m.Stages[0]) ||
		got.RejectBelow != m.RejectBelow ||
		got.Version != rao.Version || got.Report.Objective != m.Report.Objective {
		t.Errorf("header differs:\n%+v\n%+v", got, m)
	}
	want := testkit.Must(m.Predict(ctx, Vectors(d.X)))(t)
	have := testkit.Must(got.Predict(ctx, Vectors(d.X)))(t)
	if !mat.Equal(want.LogPosterior, have.LogPosterior) || !reflect.DeepEqual(want.Rejected, have.Rejected) {
		t.Error("predictions differ after loading")
	}
	z := testkit.Must(got.Transform(ctx, Vectors(d.X)))(t)
	if n, k := z.X.Dims(); n != d.N() || k != 2 {
		t.Errorf("features are %d×%d", n, k)
	}
}

func TestModelOfMatricesComesBackWhole(t *testing.T) {
	m, x := matrixModel(t)
	got := testkit.Must(Load(save(t, m)))(t)
	want := testkit.Must(m.Predict(ctx, Matrices(x)))(t)
	have := testkit.Must(got.Predict(ctx, Matrices(x)))(t)
	if !mat.Equal(want.LogPosterior, have.LogPosterior) {
		t.Error("predictions differ after loading")
	}
	if !reflect.DeepEqual(got.Input, m.Input) {
		t.Errorf("input %+v, want %+v", got.Input, m.Input)
	}
}

func TestRepairIsAppliedAgain(t *testing.T) {
	m, x := matrixModel(t)
	wide := spd.NewStack(x.Count, 4)
	for k := range x.Count {
		for i := range 3 {
			for j := range 3 {
				wide.At(k)[4*i+j] = x.At(k)[3*i+j]
			}
		}
	}
	fix := &spd.Repair{Dim: 4, Keep: []int{0, 1, 2}}
	m.Stages, m.Input.Dim, m.Input.Channels = []Stage{&repair{fix}}, 4, nil
	got := testkit.Must(Load(save(t, m)))(t)
	want := testkit.Must(m.Predict(ctx, Matrices(wide)))(t)
	have := testkit.Must(got.Predict(ctx, Matrices(wide)))(t)
	if !mat.Equal(want.LogPosterior, have.LogPosterior) {
		t.Error("the repair was lost")
	}
}

func TestRecenteringTakesOutAMixingOfTheChannels(t *testing.T) {
	m, x := matrixModel(t)
	m.Stages = []Stage{&Adaptation{How: adaptCenter}}
	got := testkit.Must(Load(save(t, m)))(t)
	want := testkit.Must(got.Predict(ctx, Matrices(x)))(t)
	scaled := spd.NewStack(x.Count, x.Dim)
	for k := range x.Count {
		for i, v := range x.At(k) {
			scaled.At(k)[i] = 7 * v // the amplifier's gain
		}
	}
	have := testkit.Must(got.Predict(ctx, Matrices(scaled)))(t)
	if !mat.EqualApprox(want.LogPosterior, have.LogPosterior, 1e-9) {
		t.Error("the gain of the amplifier changes the decisions of a re-centered model")
	}
	testkit.ErrorContains(t, testkit.ErrorOf(got.Predict(ctx, Matrices(x.Select([]int{0})))),
		"is less than their order", "for one matrix")
}

func TestMisuseSaysWhatToDo(t *testing.T) {
	v, d := vectorModel(t)
	m, x := matrixModel(t)
	noClassifier := *v
	noClassifier.Classifier = nil
	for name, f := range map[string]func() error{
		"fitted to 6": func() error {
			_, err := v.Predict(ctx, Vectors(mat.NewDense(2, 5, nil)))
			return err
		},
		"the data are matrices":     func() error { _, err := v.Predict(ctx, Matrices(x)); return err },
		"the data are vectors":      func() error { _, err := m.Predict(ctx, Vectors(d.X)); return err },
		"does not compute features": func() error { _, err := m.Transform(ctx, Matrices(x)); return err },
		"has no classifier":         func() error { _, err := noClassifier.Predict(ctx, Vectors(d.X)); return err },
		"row 1, column 2 is NaN": func() error {
			x := mat.NewDense(2, 6, nil)
			x.Set(1, 2, math.NaN())
			_, err := v.Predict(ctx, Vectors(x))
			return err
		},
		"the model was fitted to matrices of order": func() error {
			_, err := m.Predict(ctx, Matrices(spd.NewStack(1, 4)))
			return err
		},
		"is not a model": func() error { _, err := Load(stats(t)); return err },
		"x is not a model: it has no rao.json": func() error {
			var b bytes.Buffer
			testkit.NoError(t, zip.NewWriter(&b).Close())
			_, err := Read(bytes.NewReader(b.Bytes()), int64(b.Len()), "x")
			return err
		},
	} {
		testkit.ErrorContains(t, f(), name)
	}
}

// stats writes a statistics file, which is an archive but no model.
func stats(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "s.npz")
	testkit.NoError(t, toys.ToyOne().WriteFile(path))
	return path
}

func TestModelsThatDoNotFitAreRefused(t *testing.T) {
	base, _ := vectorModel(t)
	for want, change := range map[string]func(m *Model){
		"does not name its method":  func(m *Model) { m.Method = "" },
		"does not name its classes": func(m *Model) { m.Classes = nil },
		"has 3 classes":             func(m *Model) { m.Classes = []string{"a", "b"} },
		"its input has 7":           func(m *Model) { m.Input.Dim = 7; m.Stages = m.Stages[1:] },
		"shifts 6 columns":          func(m *Model) { m.Input.Dim = 7 },
		"the kind of input is":      func(m *Model) { m.Input.Kind = "sounds" },
		"of column 1 is NaN": func(m *Model) {
			m.Stages = []Stage{&Scaling{Shift: []float64{0, math.NaN(), 0, 0, 0, 0}}}
		},
		"threshold": func(m *Model) { m.RejectBelow = 2 },
		"its square overflows": func(m *Model) {
			m.Training.Range = Range{Count: 9, Spread: 1, Usual: []float64{0, 1e300, 0, 0, 0, 0}}
		},
	} {
		m := *base
		change(&m)
		testkit.ErrorContains(t, m.Validate(), want)
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	m, _ := vectorModel(t)
	good := testkit.Must(os.ReadFile(save(t, m)))(t)
	testkit.Must(Read(bytes.NewReader(good), int64(len(good)), "good"))(t)
	for _, n := range []int{0, 1, 100, len(good) / 2, len(good) - 1} {
		testkit.Fails(t, testkit.ErrorOf(Read(bytes.NewReader(good[:n]), int64(n), "cut")), "a model cut to", n, "of",
			len(good), "bytes was accepted")
	}
}

func TestEveryKindHasItsOwnName(t *testing.T) {
	names, types := map[string]bool{}, map[reflect.Type]bool{}
	for _, k := range kinds {
		if names[k.name] || types[k.typ] {
			t.Errorf("%s (%v) is listed twice", k.name, k.typ)
		}
		names[k.name], types[k.typ] = true, true
		v := reflect.New(k.typ).Interface()
		if k.wrap != nil {
			v = k.wrap(v)
		}
		stage, isStage := v.(Stage)
		_, isVector := v.(VectorClassifier)
		_, isMatrix := v.(MatrixClassifier)
		if !isStage && !isVector && !isMatrix {
			t.Errorf("%s (%v) is neither a stage nor a classifier", k.name, k.typ)
		}
		for _, in := range []Kind{KindVectors, KindMatrices} {
			var err error
			if isStage {
				_, err = (&Model{Input: Schema{Kind: in, Dim: 1}, Stages: []Stage{stage}}).Output()
			} else {
				err = v.(Classifier).Validate()
			}
			if err == nil && reflect.TypeOf(v).Elem().NumField() > 0 && k.name != "scaling" {
				t.Errorf("%s: an empty value passes validation", k.name)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range []func() *Model{
		func() *Model { m, _ := vectorModel(f); return m },
		func() *Model { m, _ := matrixModel(f); return m },
		func() *Model { // with a recipe, adaptation, a map and a training
			m, x, _ := recorded(f, nearest(f))
			stage, _ := testkit.Must2(FitAdaptation(ctx, adaptCausal, 0, x, nil, nil))(f)
			filters := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
			m.Stages = []Stage{stage, &mapping{&classifiers.Reduction{Filters: filters}}}
			return m
		},
	} {
		b := testkit.Must(os.ReadFile(save(f, m())))(f)
		f.Add(testkit.Reseal(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = testkit.Reseal(b) // or every mutation would end at a digest
		m, err := Read(bytes.NewReader(b), int64(len(b)), "fuzz")
		if err != nil {
			return
		}
		testkit.NoError(t, m.Validate(), "a model that Read accepted is not valid")
		if _, err := NewDecoder(m, DecoderOptions{}); err == nil && m.Classifier == nil {
			t.Error("a decoder of a model without a classifier")
		}
	})
}

// Duplicate names are rejected.
func TestNamesDiffer(t *testing.T) {
	for _, change := range []func(m *Model){
		func(m *Model) { m.Classes[1] = m.Classes[0] },
		func(m *Model) {
			m.Input.Columns = make([]string, m.Input.Dim)
			m.Input.Columns[0], m.Input.Columns[1] = "x", "x"
		},
	} {
		m, _ := vectorModel(t)
		change(m)
		testkit.ErrorContains(t, m.Validate(), "have the name")
	}
}

// A fitted scaling standardizes columns, and centers a constant one without dividing by zero.
func TestFitScaling(t *testing.T) {
	x := mat.NewDense(4, 3, []float64{1, 0.1, 10, 2, 0.1, 30, 3, 0.1, 20, 4, 0.1, 40})
	p := testkit.Must(FitScaling(x))(t)
	b := testkit.Must(p.Apply(ctx, Vectors(x)))(t)
	for j, want := range []float64{3, 0, 3} {
		sum, squares := 0.0, 0.0
		for _, v := range mat.Col(nil, j, b.X) {
			sum += v
			squares += v * v
		}
		if math.Abs(sum) > 1e-12 || math.Abs(squares-want) > 1e-12 {
			t.Errorf("column %d has the sum %g and the squares %g, want 0 and %g", j, sum, squares, want)
		}
	}
	x.Set(2, 1, math.NaN())
	testkit.ErrorContains(t, testkit.ErrorOf(FitScaling(x)), "row 2, column 1")
	testkit.Fails(t, testkit.ErrorOf(FitScaling(mat.NewDense(1, 2, nil))), "one row has a standard deviation")
}

func TestNewRefusesPartsThatDoNotFit(t *testing.T) {
	m, _ := vectorModel(t)
	testkit.Must(New(m.Input, m.Classes, m.Classifier, m.Stages...))(t)
	input := m.Input
	input.Dim++
	testkit.Fails(t, testkit.ErrorOf(New(input, m.Classes, m.Classifier, m.Stages...)),
		"a model takes vectors of another length than its stages")
	testkit.Fails(t, testkit.ErrorOf(New(m.Input, m.Classes[:1], m.Classifier, m.Stages...)),
		"a model names fewer classes than its classifier has")
}
