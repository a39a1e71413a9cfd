package model_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/synth"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
)

// fourClasses returns vectors of four classes in two parts: without the last class, and only the last class.
func fourClasses(t *testing.T) (all, known, added *dataset.Data) {
	t.Helper()
	made := synth.NewClasses(4, 100, 5)
	x, labels := made.Rows(60, 2)
	all = &dataset.Data{Source: "four", X: dataset.NewTable(240, 100, x), Labels: labels,
		Classes: []string{"a", "b", "c", "d"}}
	var first, last []int
	for i, l := range labels {
		if l < 3 {
			first = append(first, i)
		} else {
			last = append(last, i)
		}
	}
	known, added = all.Subset(first), all.Subset(last)
	known.Classes = all.Classes[:3]
	added.Classes = all.Classes[3:]
	for i := range added.Labels {
		added.Labels[i] = 0
	}
	return all, known, added
}

// After a class is added from rows or from statistics, the classifier decides like one that is fitted to all classes
// with the same filters.
func TestAddClassesKeepsTheFilters(t *testing.T) {
	ctx := context.Background()
	all, known, added := fourClasses(t)
	before := fitTo(t, "sqfa", known, method.Settings{{Name: "filters", Value: "3"}, {Name: "noise", Value: "0.1"}})
	stats := testkit.Must(gaussian.Estimate(added.X.Matrix(), added.Labels, added.Classes))(t)
	rows := testkit.Must(before.AddClasses(ctx, model.Extension{Batch: model.BatchOf(added), Labels: added.Labels,
		Classes: added.Classes}))(t)
	sums := testkit.Must(before.AddClasses(ctx, model.Extension{Stats: stats}))(t)
	want := *before // its stages, with a classifier of all classes
	want.Classes, want.Classifier = all.Classes, nil
	z := testkit.Must(before.Transform(ctx, model.BatchOf(all)))(t)
	features := mat.DenseCopyOf(z.X).RawMatrix().Data
	qda := fitTo(t, "qda-raw", &dataset.Data{Source: "z", X: dataset.NewTable(240, 3, features), Labels: all.Labels,
		Classes: all.Classes}, method.Settings{{Name: "scale", Value: "none"}, {Name: "center", Value: "false"}})
	want.Classifier = qda.Classifier
	a := testkit.Must(want.Predict(ctx, model.BatchOf(all)))(t)
	for name, m := range map[string]*model.Model{"rows": rows, "statistics": sums} {
		b := testkit.Must(m.Predict(ctx, model.BatchOf(all)))(t)
		if d := largest(a.LogPosterior, b.LogPosterior); !(d < 1e-8) {
			t.Errorf("from %s: log-posteriors differ by %g", name, d)
		}
		if len(m.Classes) != 4 || m.Training.Counts[3] != 60 || len(before.Classes) != 3 {
			t.Errorf("from %s: %v of %v; before %v", name, m.Training.Counts, m.Classes, before.Classes)
		}
	}
	testkit.ErrorContains(t, testkit.ErrorOf(sums.AddClasses(ctx, model.Extension{Stats: stats})),
		`already has class "d"`, "the same class twice")
	lda := fitTo(t, "sqfa", known, method.Settings{{Name: "filters", Value: "3"}, {Name: "noise", Value: "0.1"},
		{Name: "classifier", Value: "lda"}})
	testkit.ErrorContains(t, testkit.ErrorOf(lda.AddClasses(ctx, model.Extension{Stats: stats})), "fit a new model",
		"lda")
}

// largest returns the largest difference of values above the smallest that matter.
func largest(a, b *mat.Dense) float64 {
	d, n := 0.0, 0
	r, c := a.Dims()
	for i := range r {
		for j := range c {
			if a.At(i, j) > -30 {
				d = math.Max(d, math.Abs(a.At(i, j)-b.At(i, j)))
				n++
			}
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return d
}

// Nearest neighbors add the rows of a new class.
func TestAddClassesToNeighbors(t *testing.T) {
	ctx := context.Background()
	all, known, added := fourClasses(t)
	set := method.Settings{{Name: "scale", Value: "none"}, {Name: "center", Value: "false"}}
	m := testkit.Must(fitTo(t, "knn-raw", known, set).AddClasses(ctx, model.Extension{Batch: model.BatchOf(added),
		Labels: added.Labels, Classes: added.Classes}))(t)
	a, err1 := m.Predict(ctx, model.BatchOf(all))
	b, err2 := fitTo(t, "knn-raw", all, set).Predict(ctx, model.BatchOf(all))
	if err1 != nil || err2 != nil || !mat.Equal(a.LogPosterior, b.LogPosterior) {
		t.Errorf("neighbors of all classes decide otherwise (%v, %v)", err1, err2)
	}
}
