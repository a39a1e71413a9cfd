package explain_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/internal/serve/explain"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
)

func data() *dataset.Data {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 90*3), make([]int, 90)
	for i := range y {
		y[i] = i % 2
		for j := range 3 {
			x[3*i+j] = r.NormFloat64() * (1 + float64(j*y[i]))
		}
	}
	names := &dataset.Array{Name: "columns", Shape: []int{3}, Strings: []string{"a", "b", "c"}}
	return &dataset.Data{Source: "test", X: dataset.NewTable(90, 3, x), Labels: y, Classes: []string{"calm", "wild"},
		Vars: map[string]*dataset.Array{"columns": names}}
}

func fit(t *testing.T, name string) *model.Model {
	t.Helper()
	f := testkit.Must(method.Lookup(name))(t)
	return testkit.Must(f.Fit(t.Context(), method.InMemory{Data: data()}, nil, nil))(t)
}

func explained(t *testing.T, m *model.Model, b model.Batch) []explain.Explanation {
	t.Helper()
	p := testkit.Must(m.Predict(t.Context(), b))(t)
	return testkit.Must(explain.All(t.Context(), m, b, p))(t)
}

// Terms add up, and columns in another order are matched by name.
func TestColumnsGoByName(t *testing.T) {
	for _, name := range []string{"qda-raw", "lda-raw"} {
		m, b := fit(t, name), model.BatchOf(data())
		var turned mat.Dense
		turned.Augment(b.X.(*dataset.Table).Dense().Slice(0, 90, 1, 3), b.X.(*dataset.Table).Dense().Slice(0, 90, 0, 1))
		other := model.Vectors(&turned)
		other.Columns = []string{"b", "c", "a"}
		items, again := explained(t, m, b), explained(t, m, other)
		for i, x := range items {
			if rest := x.Rest(); math.Abs(rest) > 1e-9*(1+math.Abs(x.LogOdds)) {
				t.Fatalf("%s: the terms of row %d leave %g", name, i, rest)
			}
			if !slices.Equal(x.Terms, again[i].Terms) || !slices.Equal(x.Input.Gradient, again[i].Input.Gradient) {
				t.Fatalf("%s: row %d has other terms when its columns come in another order", name, i)
			}
		}
	}
}

func TestWhatHasNoTermsIsSaid(t *testing.T) {
	m, b := fit(t, "knn-raw"), model.BatchOf(data())
	p := testkit.Must(m.Predict(t.Context(), b))(t)
	var unsupported *explain.UnsupportedError
	if _, err := explain.All(t.Context(), m, b, p); !errors.As(err, &unsupported) {
		t.Errorf("error %v", err)
	}
}

// own is a classifier of another module whose decisions have a known form.
type own struct{ *classify.LDA }

func (o *own) LinearScores() (center []float64, coefficients *mat.Dense, intercepts []float64) {
	return o.Center, o.Coefficients, o.Intercepts
}

func TestOtherClassifiersOfAFormAreExplained(t *testing.T) {
	m, b := fit(t, "lda-raw"), model.BatchOf(data())
	want := explained(t, m, b)
	m.Classifier = &own{m.Classifier.(*classify.LDA)}
	for i, x := range explained(t, m, b) {
		testkit.EqualSlices(t, x.Terms, want[i].Terms, "row", i, "has the terms")
	}
}
