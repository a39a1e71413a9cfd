package model

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/testkit"
	"rao/recipe"
	"rao/spd"
)

// named returns the vector model with names for its columns.
func named(t *testing.T) (*Model, *mat.Dense) {
	t.Helper()
	m, d := vectorModel(t)
	m.Input.Columns = []string{"a", "b", "c", "d", "e", "f"}
	return m, mat.DenseCopyOf(d.X)
}

func TestColumnsInAnotherOrderAreMatchedByName(t *testing.T) {
	m, x := named(t)
	want := testkit.Must(m.Predict(ctx, Vectors(x)))(t)
	rows, cols := x.Dims()
	turned := mat.NewDense(rows, cols, nil)
	names := make([]string, cols)
	for j := range cols {
		names[j] = m.Input.Columns[cols-1-j]
		turned.SetCol(j, mat.Col(nil, cols-1-j, x))
	}
	got := testkit.Must(m.Predict(ctx, Batch{X: turned, Columns: names}))(t)
	if !mat.Equal(got.LogPosterior, want.LogPosterior) {
		t.Error("columns in reverse order change the posteriors")
	}
	z := testkit.Must(m.Transform(ctx, Batch{X: turned, Columns: names}))(t)
	straight, err := m.Transform(ctx, Batch{X: x, Columns: m.Input.Columns})
	if err != nil || !mat.Equal(z.X, straight.X) {
		t.Errorf("columns in reverse order change the features: %v", err)
	}
}

func TestMissingAndUnknownColumnsAreNamed(t *testing.T) {
	m, x := named(t)
	for want, names := range map[string][]string{
		"column c is missing and column C is not in the training": {"a", "b", "C", "d", "e", "f"},
		"two columns named \"a\"":                                 {"a", "a", "c", "d", "e", "f"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(m.Predict(ctx, Batch{X: x, Columns: names})), want)
	}
	narrow := mat.DenseCopyOf(x.Slice(0, 5, 0, 4))
	testkit.ErrorContains(t, testkit.ErrorOf(m.Predict(ctx, Batch{X: narrow, Columns: []string{"a", "b", "c", "d"}})),
		"columns e, f are missing")
	wide := mat.NewDense(5, 7, nil)
	testkit.ErrorContains(t, testkit.ErrorOf(m.Predict(ctx, Batch{X: wide, Columns: []string{"a", "b", "c", "d", "e",
		"f", "id"}})), "column id is not in the training")
	testkit.NoError(t, testkit.ErrorOf(m.Predict(ctx, Vectors(x))), "columns without names go by position")
}

func TestChannelsInAnotherOrderAreMatchedByName(t *testing.T) {
	m, x := matrixModel(t)
	want := testkit.Must(m.Predict(ctx, Matrices(x)))(t)
	turned := spd.NewStack(x.Count, x.Dim)
	for k := range x.Count {
		for i := range 3 {
			for j := range 3 {
				turned.At(k)[3*i+j] = x.At(k)[3*(2-i)+2-j]
			}
		}
	}
	b := Batch{Stack: turned, Channels: []string{"C4", "Cz", "C3"}}
	got := testkit.Must(m.Predict(ctx, b))(t)
	if !mat.Equal(got.LogPosterior, want.LogPosterior) {
		t.Error("channels in reverse order change the posteriors")
	}
	b.Channels = []string{"C4", "Cz", "Pz"}
	testkit.ErrorContains(t, testkit.ErrorOf(m.Predict(ctx, b)),
		"channel C3 is missing and channel Pz is not in the training")
}

func TestMatricesMadeInAnotherWayAreRefused(t *testing.T) {
	m, x := matrixModel(t)
	made := func(bands recipe.Band, estimator recipe.Estimator, normalize bool) *recipe.Recipe {
		return &recipe.Recipe{Signal: &recipe.Signal{Rate: 250, Channels: m.Input.Channels, Window: 2,
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{bands}, Order: 5, Estimator: estimator,
				Normalize: normalize}}}
	}
	m.Input.Recipe = made(recipe.Band{Low: 8, High: 24}, "oas", true)
	m = testkit.Must(Load(save(t, m)))(t)
	for _, same := range []*recipe.Recipe{nil, made(recipe.Band{Low: 8, High: 24}, "oas", true)} {
		testkit.NoError(t, testkit.ErrorOf(m.Predict(ctx, Batch{Stack: x, Recipe: same})))
	}
	_, err := m.Predict(ctx, Batch{Stack: x, Recipe: made(recipe.Band{Low: 1, High: 4}, "sample", false)})
	for _, want := range []string{"bands: 1-4 Hz here, 8-24 Hz in training", "estimator: sample",
		"normalize: false"} {
		testkit.ErrorContains(t, err, want)
	}
}

func TestUpdateMatchesColumnsByName(t *testing.T) {
	m, x := named(t)
	rows, _ := x.Dims()
	labels := testkit.Alternate(rows, 3)
	z := testkit.Must(m.Transform(ctx, Vectors(x)))(t)
	m.Classifier = testkit.Must(classify.FitKNN(z.X, labels, m.Classes, classify.KNNOptions{K: 1}))(t)
	turned, names := mat.NewDense(1, 6, nil), make([]string, 6)
	for j := range 6 {
		names[j] = m.Input.Columns[5-j]
		turned.Set(0, j, float64(5-j))
	}
	straight := mat.NewDense(1, 6, []float64{0, 1, 2, 3, 4, 5})
	want := testkit.Must(m.Update(ctx, Vectors(straight), []int{2}))(t)
	got := testkit.Must(m.Update(ctx, Batch{X: turned, Columns: names}, []int{2}))(t)
	if !mat.Equal(got.Classifier.(*classify.KNN).Rows, want.Classifier.(*classify.KNN).Rows) {
		t.Error("columns in another order teach something else")
	}
}

// A model that only computes features is not called a classifier.
func TestFeaturesAreNoNumbers(t *testing.T) {
	m := &Model{Method: "pca"}
	testkit.ErrorContains(t, testkit.ErrorOf(m.Values(context.Background(), Batch{})), "computes features, not numbers")
}
