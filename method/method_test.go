package method

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/feature"
	"rao/gaussian"
	toys "rao/internal/synth"
	"rao/internal/testkit"
	"rao/model"
	_ "rao/sets" // digits by name
	"rao/synth"
)

var background = context.Background()

// toyVectors has three classes whose covariances and means differ.
func toyVectors(t testing.TB) *dataset.Data {
	t.Helper()
	d := testkit.Must(synth.Generate("toy1-shifted", synth.GenerateOptions{PerClass: 80, Seed: 2}))(t)
	return d
}

func toyMatrices(t testing.TB) *dataset.Data {
	t.Helper()
	d := testkit.Must(synth.Generate("syn1", synth.GenerateOptions{PerClass: 25, Seed: 2}))(t)
	return d
}

// quick returns settings for fits on the toy data; each method uses the ones that it has.
func quick() Settings {
	return Settings{{Name: "filters", Value: "2"}, {Name: "noise", Value: "0.01"}, {Name: "epochs", Value: "3"},
		{Name: "calibration", Value: "2"}}
}

// only returns the settings that apply to the method.
func (m *Method) only(set Settings) Settings {
	return slices.DeleteFunc(slices.Clone(set), func(s evaluate.Setting) bool { return m.applies(s.Name, set) != nil })
}

// A fit at its iteration limit names its own method.
func TestTheErrorOfALimitedFitNamesTheMethod(t *testing.T) {
	limit := Settings{{Name: "noise", Value: "0.01"}, {Name: "max-iter", Value: "1"}}
	for _, name := range []string{"sqfa", "smsqfa", "bdm"} {
		m := testkit.Must(Lookup(name))(t)
		_, err := m.Fit(background, InMemory{Data: toyVectors(t)}, limit, nil)
		if !rao.IsNotConverged(err) || !strings.HasPrefix(err.Error(), name+" did not converge (") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every method learns from data to a model that saves, loads and predicts the same.
func TestEveryMethodGoesFromDataToAModelAndBack(t *testing.T) {
	vectors, matrices := toyVectors(t), toyMatrices(t)
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) {
			d := vectors
			if m.Matrices {
				d = matrices
			}
			mod := testkit.Fitted(m.Fit(background, InMemory{Data: d}, m.only(quick()), nil))(t)
			if mod.Report.Status == rao.StatusUnset {
				t.Error("the report does not say how the fit ended")
			}
			farIsAnOutlier(t, mod, d)
			var file bytes.Buffer
			testkit.NoError(t, mod.Write(&file))
			back := testkit.Must(model.Read(bytes.NewReader(file.Bytes()), int64(file.Len()), m.Name))(t)
			want := testkit.Must(Predict(background, mod, d))(t)
			got := testkit.Must(Predict(background, back, d))(t)
			if !mat.Equal(want.LogPosterior, got.LogPosterior) {
				t.Error("predictions differ after saving and loading")
			}
			s := testkit.Must(Score(background, back, d))(t)
			if chance := 1 / float64(len(d.Classes)); s.Accuracy < chance+0.1 {
				t.Errorf("accuracy %.3f on its own training data, chance is %.3f", s.Accuracy, chance)
			}
		})
	}
}

// If a method needs only statistics, a fit to statistics equals the fit to the data.
func TestStatisticsAloneGiveTheSameModel(t *testing.T) {
	d := toyVectors(t)
	s := testkit.Must(gaussian.Estimate(d.X, d.Labels, d.Classes))(t)
	for _, m := range Methods() {
		if m.Matrices || m.Rows {
			continue
		}
		fromData := testkit.Fitted(m.Fit(background, InMemory{Data: d}, m.only(quick()), nil))(t, m.Name)
		fromStats := testkit.Fitted(m.Fit(background, Statistics{Stats: s}, m.only(quick()), nil))(t, m.Name)
		a := testkit.Must(Predict(background, fromData, d))(t)
		b := testkit.Must(Predict(background, fromStats, d))(t)
		if !mat.EqualApprox(a.LogPosterior, b.LogPosterior, 1e-9) {
			t.Errorf("%s: the two models differ", m.Name)
		}
	}
}

// Every option has a description, and its default is a valid value.
func TestOptionsAreDeclaredWhole(t *testing.T) {
	for _, m := range Methods() {
		for _, o := range m.Options {
			if o.Help == "" || o.Type == "" || o.Default == "" {
				t.Errorf("%s: option %s lacks help, type or default: %+v", m.Name, o.Name, o)
			}
			err := (&Spec{Method: m}).Set(evaluate.Setting{Name: o.Name, Value: o.Default})
			testkit.NoError(t, err, m.Name, "the default of", o.Name, "is refused")
			if o.Type == "count" && o.Name != "seed" && (o.Min == nil || o.Max == nil) {
				t.Errorf("%s: the count %s has no range", m.Name, o.Name)
			}
			for with := range strings.SplitSeq(o.With, ",") {
				name, _, given := strings.Cut(with, "=")
				if _, err := m.Option(name); given && err != nil {
					t.Errorf("%s: %s depends on the option %s, which the method does not have", m.Name, o.Name, name)
				}
			}
		}
	}
}

func TestSettingsSayWhatIsWrong(t *testing.T) {
	m := testkit.Must(Lookup("sqfa"))(t)
	for _, c := range [][3]string{
		{"filtres", "3", "did you mean filters"},
		{"neighbours", "3", "did you mean neighbors"},
		{"filters", "-1", "the value must be a whole number of 1 or more, or auto"},
		{"filters", "99999999999999", "the value must be a whole number from 1 to 100000"},
		{"folds", "100000", "folds 100000: the value must be a whole number from 2 to 10000"},
		{"reg-param", "much", `reg-param "much": the value must be a number from 0 to 1`},
		{"center", "maybe", "the value must be true or false"},
		{"beta", "NaN", "the value must be a number above 0"},
		{"aggregate", "men", "did you mean mean"},
		{"classifier", "qdb", "did you mean qda"},
		{"beta", "3", "option beta is used only with option aggregate softmin, not auto"},
		{"classifier", "lda-raw:prior=uniform", "did you mean priors"},
		{"classifier", "lda-raw:priors", "write OPTION=VALUE"},
	} {
		_, err := m.With(Settings{{Name: c[0], Value: c[1]}})
		testkit.ErrorContains(t, err, c[2], c[0], c[1])
	}
	base := Settings{{Name: "noise", Value: "2"}}
	if more := base.With("noise", "3"); base[0].Value != "2" || more[0].Value != "3" || len(more) != 1 {
		t.Errorf("With changes its receiver: %v, %v", base, more)
	}
	if c := m.changed(base.With("filters", "auto")); len(c) != 1 || c[0] != base[0] {
		t.Errorf("changed options are %v", c)
	}
}

func TestWrongSourcesSayWhatToDo(t *testing.T) {
	vectors, matrices := toyVectors(t), toyMatrices(t)
	unlabeled := *vectors
	unlabeled.Labels = nil
	stats := toys.ToyOne()
	for _, c := range []struct {
		method, want string
		src          TrainingData
	}{
		{"mdm", "compute covariances of trials first", InMemory{Data: vectors}},
		{"sqfa", "learns from vectors", InMemory{Data: matrices}},
		{"sqfa", "has no labels", InMemory{Data: &unlabeled}},
		{"lmnn", "give option data", Statistics{Stats: stats}},
		{"plrsq", "learns from matrices", Statistics{Stats: stats}},
		{"sqfa", "no observations to learn from", InMemory{}},
	} {
		m := testkit.Must(Lookup(c.method))(t)
		testkit.ErrorContains(t, testkit.ErrorOf(m.Fit(background, c.src, quick(), nil)), c.want, c.method)
	}
}

// The folds share their data, and the result does not depend on the number of folds that run at the same time.
func TestTuneFindsTheSameAtAnyParallelism(t *testing.T) {
	d := toyVectors(t)
	m := testkit.Must(Lookup("sqfa"))(t)
	grid := testkit.Must(evaluate.Grid([]evaluate.Parameter{{Name: "filters", Values: []string{"1", "2"}},
		{Name: "noise", Values: []string{"0.01", "1"}}}))(t)
	folds := testkit.Must(evaluate.StratifiedKFold(d.Labels, 3, 1))(t)
	var first *evaluate.SearchResult
	for _, parallel := range []int{1, 4} {
		before := rao.SetParallelism(parallel)
		res, err := m.Tune(background, d, m.only(quick()), grid, folds, evaluate.SearchOptions{})
		rao.SetParallelism(before)
		testkit.NoError(t, err)
		if first == nil {
			first = res
			continue
		}
		for i := range res.Trials {
			if res.Best != first.Best || res.Trials[i].Mean.Accuracy != first.Trials[i].Mean.Accuracy {
				t.Errorf("trial %d differs between one and four at a time", i)
			}
		}
	}
	bad := []evaluate.Candidate{{{Name: "metric", Value: "riemann"}}}
	testkit.ErrorContains(t, testkit.ErrorOf(m.Tune(background, d, m.only(quick()), bad, folds,
		evaluate.SearchOptions{})), `unknown sqfa option "metric"`)
}

// Without candidates, Tune is a cross-validation of the base settings.
func TestTuneWithoutCandidatesIsACrossValidation(t *testing.T) {
	d := toyVectors(t)
	m := testkit.Must(Lookup("lda"))(t)
	folds := testkit.Must(evaluate.StratifiedKFold(d.Labels, 3, 1))(t)
	base := Settings{{Name: "shrinkage", Value: "0.5"}}
	got := testkit.Must(m.Tune(background, d, base, nil, folds, evaluate.SearchOptions{}))(t)
	want := testkit.Must(m.Tune(background, d, base, []evaluate.Candidate{{}}, folds, evaluate.SearchOptions{}))(t)
	if len(got.Trials) != 1 || len(got.Trials[0].Folds) != len(folds) ||
		got.Trials[0].Loss != want.Trials[0].Loss {
		t.Errorf("got %+v, want one trial with a score per fold and loss %v", got.Trials, want.Trials[0].Loss)
	}
}

// Test sets may overlap, as they do in repeated cross-validations.
func TestTuneUsesEachOfSeveralFoldsWithTheSameFirstTestRow(t *testing.T) {
	d := toyVectors(t)
	m := testkit.Must(Lookup("lda"))(t)
	folds := testkit.Must(evaluate.StratifiedKFold(d.Labels, 3, 1))(t)
	i := slices.IndexFunc(folds, func(f evaluate.Fold) bool { return f.Test[0] == 0 })
	j := slices.IndexFunc(folds, func(f evaluate.Fold) bool { return f.Test[0] != 0 })
	other := evaluate.Fold{Train: folds[i].Test[1:], Test: append([]int{0}, folds[j].Test...)}
	both := testkit.Must(m.Tune(background, d, nil, nil, []evaluate.Fold{folds[i], other}, evaluate.SearchOptions{}))(t)
	alone := testkit.Must(m.Tune(background, d, nil, nil, []evaluate.Fold{other}, evaluate.SearchOptions{}))(t)
	if got, want := both.Trials[0].Folds[1], alone.Trials[0].Folds[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("the second fold has the scores %+v, alone %+v", got, want)
	}
}

func TestCancelingKeepsTheBestSoFar(t *testing.T) {
	d := toyVectors(t)
	m := testkit.Must(Lookup("sqfa"))(t)
	s := testkit.Must(gaussian.Estimate(d.X, d.Labels, d.Classes))(t)
	ctx, cancel := context.WithCancel(background)
	// of several starts so cheap a fit ends at an optimum at once
	set := quick().With("tol", "1e-14").With("init", "pca")
	mod, err := m.Fit(ctx, InMemory{Data: d, Stats: s}, m.only(set), func(e rao.Event) {
		if e.Done >= 2 {
			cancel()
		}
	})
	if !rao.HasModel(err) || mod == nil || mod.Report.Status != rao.StatusCanceled {
		t.Fatalf("got %v, want a usable model and a NotConvergedError", err)
	}
	testkit.NoError(t, testkit.ErrorOf(Predict(background, mod, d)))
}

// A class without variance in some direction has no quadratic classifier; the noise of the filters is added, and a note
// reports it.
func TestNoiseReachesASingularClassifier(t *testing.T) {
	d := toyVectors(t)
	x := mat.DenseCopyOf(d.X.Matrix())
	rows, n := x.Dims()
	for i, l := range d.Labels { // the first class does not vary in the first two columns
		if l == 0 {
			x.Set(i, 0, 1)
			x.Set(i, 1, 2)
		}
	}
	flat := *d
	flat.X = dataset.NewTable(rows, n, x.RawMatrix().Data)
	m := testkit.Must(Lookup("sqfa"))(t)
	set := quick().With("filters", strconv.Itoa(n)).With("noise", "0.5")
	mod := testkit.Fitted(m.Fit(background, InMemory{Data: &flat}, m.only(set), nil))(t)
	told := func(m *model.Model) bool {
		return strings.Contains(strings.Join(m.Notes, "\n"), "noise of the filters, 0.5, was added")
	}
	if !told(mod) {
		t.Errorf("notes %q", mod.Notes)
	}
	if s, err := Score(background, mod, &flat); err != nil || s.Accuracy < 0.5 {
		t.Errorf("accuracy %v, error %v", s, err)
	}
	plain, err := m.Fit(background, InMemory{Data: d}, m.only(set), nil)
	if err != nil && !rao.IsNotConverged(err) || told(plain) {
		t.Errorf("data with spread everywhere: notes %q, error %v", plain.Notes, err)
	}
	pca := testkit.Must(Lookup("pca"))(t)
	shrunk := testkit.Must(pca.Fit(background, InMemory{Data: &flat}, pca.only(set), nil))(t)
	testkit.Contains(t, strings.Join(shrunk.Notes, "\n"), "shrunk (oas)", "components have no noise, so auto shrinks")
	set = set.With("shrinkage", "none")
	testkit.ErrorContains(t, testkit.ErrorOf(pca.Fit(background, InMemory{Data: &flat}, pca.only(set), nil)),
		"not positive definite", "no shrinkage was asked for")
}

// With much noise some of SQFA's filters are the same, and a note reports it.
func TestCoincidingFiltersAreTold(t *testing.T) {
	d := testkit.Must(dataset.Open(background, "digits:train", dataset.OpenOptions{RequireLabels: true}))(t)
	for _, c := range []struct {
		noise, constraint string
		told              bool
	}{{"10", "sphere", true}, {"10", "orthogonal", false}, {"0.1", "sphere", false}} {
		mod := fitTo(t, "sqfa", InMemory{Data: d}, "filters=9 noise="+c.noise+" constraint="+c.constraint)
		told := strings.Contains(strings.Join(mod.Notes, "\n"), "the 9 filters span only 4 dimensions")
		testkit.Equal(t, told, c.told, fmt.Sprintf("noise %s, %s: notes %q", c.noise, c.constraint, mod.Notes))
	}
}

// Every preprocessing gives the statistics of the preprocessed rows.
func TestPreprocessingOfStatisticsAndRowsAgree(t *testing.T) {
	d := toyVectors(t)
	for _, scale := range []string{"std", "column", "none"} {
		for _, center := range []bool{true, false} {
			v := &vectors{Job: newJob("", InMemory{Data: d}, nil)}
			testkit.NoError(t, v.Source.prepare(background, v, &scaling{Scale: scale, Center: center}), "scale", scale,
				"center", center)
			want := testkit.Must(gaussian.Estimate(v.x(), d.Labels, d.Classes))(t)
			testkit.Close(t, "means", v.stats().Means, want.Means, 1e-9)
			testkit.Close(t, "covariances", v.stats().Covariance(1).RawSymmetric().Data,
				want.Covariance(1).RawSymmetric().Data, 1e-9)
		}
	}
}

// A method that finds fewer filters than requested returns the filters that it found, and a warning reports it.
func TestFewerFiltersThanAskedFor(t *testing.T) {
	d := toyVectors(t)
	for _, name := range []string{"lda", "spca"} {
		m := fitTo(t, name, InMemory{Data: d}, "filters=50")
		_, k := m.Filters().Dims()
		want := fmt.Sprintf("50 filters were requested, but the model has only %d", k)
		if k > len(d.Classes)-1 || !strings.Contains(strings.Join(m.Notes, "; "), want) {
			t.Errorf("%s: %d filters of %d classes, notes %q", name, k, len(d.Classes), m.Notes)
		}
	}
}

// The search for the noise validates the classifier with the shrinkage of the options: classes that differ only in the
// shapes of their covariances cannot be told apart by spheres.
func TestShrinkageReachesTheSearchForTheNoise(t *testing.T) {
	d := drawnSet(600, 3, 8, func(rng *rand.Rand, class, column int) float64 {
		return rng.NormFloat64() * float64(1+3*min(1, (class+column)%3))
	})
	best := func(shrinkage string) float64 {
		m := fitTo(t, "sqfa", InMemory{Data: d}, "filters=3 noise=auto shrinkage="+shrinkage)
		return slices.Max(model.StageOf[*feature.Model](m).NoiseAccuracies)
	}
	if plain, round := best("none"), best("1"); plain < 0.65 || round > 0.55 {
		t.Errorf("held-out accuracy %.3f without shrinkage, %.3f with spheres", plain, round)
	}
}

// The shrinkage of linear discriminants applies only to the filters. The classifier on their features decides like a
// classifier that is fitted to the same features without shrinkage.
func TestShrinkageOfFiltersIsNotThatOfTheClassifier(t *testing.T) {
	d := testkit.Must(dataset.Open(background, "digits:train", dataset.OpenOptions{RequireLabels: true}))(t)
	shrunk := fitTo(t, "lda", InMemory{Data: d}, "shrinkage=0.5")
	if plain := fitTo(t, "lda", InMemory{Data: d}, ""); mat.EqualApprox(plain.Filters(), shrunk.Filters(), 1e-3) {
		t.Error("the filters do not depend on the shrinkage")
	}
	z := testkit.Must(shrunk.Transform(background, model.BatchOf(d)))(t)
	stats := testkit.Must(gaussian.Estimate(z.X, d.Labels, d.Classes))(t)
	want := testkit.Must(classify.FitQDA(stats, classify.QDAOptions{}))(t)
	got := shrunk.Classifier.(*classify.QDA)
	a, b := mat.NewDense(d.N(), len(d.Classes), nil), mat.NewDense(d.N(), len(d.Classes), nil)
	testkit.NoError(t, got.LogPosterior(t.Context(), a, z.X))
	testkit.NoError(t, want.LogPosterior(t.Context(), b, z.X))
	testkit.Close(t, "log-posterior", a.RawMatrix().Data, b.RawMatrix().Data, 1e-6)
}
