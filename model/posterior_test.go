package model

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/testkit"
)

// Posterior returns the probabilities of a prediction, with its notes, for any classifier.
func TestPosteriorIntoAgreesWithPredict(t *testing.T) {
	qda, d := vectorModel(t)
	qda.Training.Range.Spread = 1
	knn := *qda
	z := testkit.Must(qda.AtClassifier(ctx, BatchOf(d)))(t)
	knn.Classifier = testkit.Must(classify.FitKNN(z.X, d.Labels, d.Classes, classify.KNNOptions{}))(t)
	x := mat.DenseCopyOf(d.X)
	x.Set(3, 0, 1e200)
	x.Set(5, 1, 1e3)
	matrices, stack := matrixModel(t)
	for name, c := range map[string]struct {
		m *Model
		b Batch
	}{
		"qda": {qda, Vectors(x)}, "knn": {&knn, Vectors(x)}, "matrices": {matrices, Matrices(stack)},
	} {
		want := testkit.Must(c.m.Predict(ctx, c.b))(t)
		var p mat.Dense
		notes := testkit.Must(c.m.PosteriorInto(ctx, &p, c.b))(t)
		rows, classes := p.Dims()
		for i := range rows {
			for j := range classes {
				if got, want := p.At(i, j), math.Exp(want.LogPosterior.At(i, j)); !(math.Abs(got-want) < 1e-14) {
					t.Errorf("%s: row %d, class %d: %g, want %g", name, i, j, got, want)
				}
			}
		}
		testkit.EqualSlices(t, notes, want.Notes, name, "notes")
		if name == "qda" && len(notes) == 0 {
			t.Errorf("nothing is said of values of 1e200")
		}
	}
}

func TestPosteriorIntoNamesWhatIsWrong(t *testing.T) {
	m, d := vectorModel(t)
	x := mat.DenseCopyOf(d.X)
	x.Set(7, 2, math.NaN())
	if _, err := m.PosteriorInto(ctx, new(mat.Dense), Vectors(x)); err == nil {
		t.Error("NaN was taken")
	} else if want := "row 7, column 2 is NaN (both counted from 0); remove the row or fill the value in"; want !=
		err.Error() {
		t.Errorf("%v, want %s", err, want)
	}
	m.Classifier = nil
	testkit.Fails(t, testkit.ErrorOf(m.PosteriorInto(ctx, new(mat.Dense), Vectors(d.X))),
		"a model without a classifier gave probabilities")
}

// AtClassifier fills in missing values, like a prediction.
func TestAtClassifierFillsInMissingValues(t *testing.T) {
	m, d := vectorModel(t)
	m.Input.Fill = make([]float64, m.Input.Dim)
	x := mat.DenseCopyOf(d.X)
	x.Set(2, 1, math.NaN())
	filled := mat.DenseCopyOf(d.X)
	filled.Set(2, 1, 0)
	got := testkit.Must(m.AtClassifier(ctx, Vectors(x)))(t)
	want := testkit.Must(m.AtClassifier(ctx, Vectors(filled)))(t)
	if !mat.Equal(got.X, want.X) {
		t.Errorf("row %v, want %v", mat.Row(nil, 2, got.X), mat.Row(nil, 2, want.X))
	}
}
