package model_test

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/internal/classifiers"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/synth"
)

func fitTo(t *testing.T, name string, d *dataset.Data, set method.Settings) *model.Model {
	t.Helper()
	m := testkit.Must(method.Lookup(name))(t)
	return testkit.Must(m.Fit(context.Background(), method.InMemory{Data: d}, set, nil))(t)
}

func halvesOf(t *testing.T, name string) (first, second *dataset.Data) {
	t.Helper()
	d := testkit.Must(synth.Generate(name, synth.GenerateOptions{PerClass: 20, Seed: 3}))(t)
	var a, b []int
	for i := range d.N() {
		if i%2 == 0 {
			a = append(a, i)
		} else {
			b = append(b, i)
		}
	}
	return d.Subset(a), d.Subset(b)
}

// With the Euclidean metric the running mean is the mean. A model that was updated with the second half therefore
// predicts like a model fitted to all data. For nearest neighbors this is true with any metric.
func TestUpdateEqualsAFitToAllWhereMeansAreLinear(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		set, method string
		options     method.Settings
	}{
		{"syn1", "mdm", method.Settings{{Name: "metric", Value: "euclid"}}},
		{"syn1", "knn-spd", nil},
		{"toy1-shifted", "knn-raw", method.Settings{{Name: "scale", Value: "none"}, {Name: "center", Value: "false"}}},
	} {
		first, second := halvesOf(t, c.set)
		before := fitTo(t, c.method, first, c.options)
		after := testkit.Must(before.Update(ctx, model.BatchOf(second), second.Labels))(t, c.method)
		all := testkit.Must(synth.Generate(c.set, synth.GenerateOptions{PerClass: 20, Seed: 3}))(t)
		whole := fitTo(t, c.method, all, c.options)
		got := testkit.Must(after.Predict(ctx, model.BatchOf(all)))(t)
		want := testkit.Must(whole.Predict(ctx, model.BatchOf(all)))(t)
		if !mat.EqualApprox(got.LogPosterior, want.LogPosterior, 1e-9) {
			t.Errorf("%s: the updated model differs from a fit to all", c.method)
		}
		sum := vec.Total(after.Training.Counts)
		if sum != all.N() || after.Training.Digest == before.Training.Digest {
			t.Errorf("%s: the training is told as %d observations with digest %s", c.method, sum, after.Training.Digest)
		}
	}
}

// An update moves prototypes and leaves the given model unchanged, and the same data give the same bits.
func TestUpdateOfPrototypes(t *testing.T) {
	ctx := context.Background()
	first, second := halvesOf(t, "syn1")
	before := fitTo(t, "plrsq", first, method.Settings{{Name: "epochs", Value: "3"}, {Name: "calibration", Value: "2"}})
	plain := testkit.Must(before.Predict(ctx, model.BatchOf(second)))(t)
	var seen [2]*mat.Dense
	for i := range seen {
		after := testkit.Must(before.Update(ctx, model.BatchOf(second), second.Labels))(t)
		p := testkit.Must(after.Predict(ctx, model.BatchOf(second)))(t)
		seen[i] = p.LogPosterior
	}
	again := testkit.Must(before.Predict(ctx, model.BatchOf(second)))(t)
	if !mat.Equal(again.LogPosterior, plain.LogPosterior) {
		t.Error("the model that was given has changed")
	}
	if mat.Equal(seen[0], plain.LogPosterior) || !mat.Equal(seen[0], seen[1]) {
		t.Error("the prototypes did not move, or not twice alike")
	}
}

// Neighbors keep the smoothing of the fit.
func TestUpdateKeepsTheSmoothing(t *testing.T) {
	for set, name := range map[string]string{"syn1": "knn-spd", "toy1-shifted": "knn-raw"} {
		first, second := halvesOf(t, set)
		m := fitTo(t, name, first, nil)
		smoothing := func(m *model.Model) *float64 {
			if cl, ok := m.Classifier.(*classify.KNN); ok {
				return &cl.Smoothing
			}
			return &m.Classifier.(*classifiers.MatrixKNN).Smoothing
		}
		*smoothing(m) = 3
		after := testkit.Must(m.Update(context.Background(), model.BatchOf(second), second.Labels))(t)
		testkit.Equal(t, *smoothing(after), 3, name, "smoothing after the update")
	}
}

func TestUpdateSaysWhatItCannotDo(t *testing.T) {
	ctx := context.Background()
	first, second := halvesOf(t, "syn1")
	mdm := fitTo(t, "mdm", first, nil)
	tslda := fitTo(t, "tslda", first, nil)
	for want, err := range map[string]error{
		"cannot be updated with new observations": second1(tslda.Update(ctx, model.BatchOf(second), second.Labels)),
		"the number of labels is 3":               second1(mdm.Update(ctx, model.BatchOf(second), second.Labels[:3])),
		"has label 9": second1(mdm.Update(ctx, model.BatchOf(second),
			append([]int{9}, second.Labels[1:]...))),
		"the data are matric": second1(fitTo(t, "knn-raw", vectorsOf(t), nil).Update(ctx, model.BatchOf(second),
			second.Labels)),
	} {
		testkit.ErrorContains(t, err, want)
	}
}

func second1(_ *model.Model, err error) error { return err }

func vectorsOf(t *testing.T) *dataset.Data {
	t.Helper()
	d, _ := halvesOf(t, "toy1-shifted")
	return d
}
