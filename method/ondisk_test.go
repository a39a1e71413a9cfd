package method_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	_ "rao/sets"
)

// Data that stay in their file give the same filters from statistics, and an equally good model in batches, as data in
// memory.
func TestOutOfCore(t *testing.T) {
	train, test := digits(t, "digits:train"), digits(t, "digits:test")
	path := filepath.Join(t.TempDir(), "train.npz")
	testkit.NoError(t, dataset.WriteFile(path, train))
	train = testkit.Must(dataset.Open(t.Context(), path, dataset.OpenOptions{RequireLabels: true}))(t)
	disk, err := dataset.OpenOnDisk(t.Context(), path, dataset.OpenOptions{})
	if err != nil || disk == nil {
		t.Fatalf("%v, %v", disk, err)
	}
	for _, c := range []struct {
		name  string
		set   method.Settings
		exact bool
	}{
		{"lda", nil, true},
		{"pca", method.Settings{{Name: "filters", Value: "5"}}, false},
		{"sqfa", method.Settings{{Name: "filters", Value: "4"}, {Name: "noise", Value: "1"}}, true},
		{"sqfa", method.Settings{{Name: "filters", Value: "4"}, {Name: "noise", Value: "1"},
			{Name: "refine", Value: "true"}}, false},
		{"sqfa", method.Settings{{Name: "filters", Value: "4"}, {Name: "refine", Value: "true"},
			{Name: "classifier", Value: "mixture"}, {Name: "subclasses", Value: "2"}}, false},
		{"ama", method.Settings{{Name: "filters", Value: "4"}}, false},
	} {
		m := testkit.Must(method.Lookup(c.name))(t)
		held, err := m.Fit(t.Context(), method.InMemory{Data: train}, c.set, nil)
		if held == nil {
			t.Fatal(err)
		}
		spec := testkit.Must(m.With(c.set))(t)
		src := testkit.Must(spec.FromDisk(t.Context(), disk, nil))(t)
		out, err := spec.Fit(t.Context(), src, nil)
		if out == nil {
			t.Fatalf("%s %v: %v", c.name, c.set, err)
		}
		a, b := scored(t, held, test), scored(t, out, test)
		t.Logf("%s %v: held %.4f, in its file %.4f", c.name, c.set, a, b)
		if math.Abs(a-b) > 0.015 || c.exact && a != b {
			t.Errorf("%s %v: held %.4f, in its file %.4f", c.name, c.set, a, b)
		}
		if held.Input.Image != out.Input.Image || held.Input.Dim != out.Input.Dim {
			t.Errorf("%s: of the input %v is known, held %v", c.name, out.Input, held.Input)
		}
	}
}

// scored returns the accuracy of a model on the test data.
func scored(t *testing.T, m *model.Model, d *dataset.Data) float64 {
	t.Helper()
	p := testkit.Must(m.Predict(t.Context(), model.BatchOf(d)))(t)
	s := testkit.Must(evaluate.Score(d.Labels, p.LogPosterior))(t)
	return s.Accuracy
}

func digits(t *testing.T, spec string) *dataset.Data {
	t.Helper()
	d := testkit.Must(dataset.Open(context.Background(), spec, dataset.OpenOptions{RequireLabels: true}))(t)
	return d
}

// A method that needs the observations in memory is rejected before they are read.
func TestOutOfCoreRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		set  method.Settings
	}{
		{"knn-raw", nil}, {"mdm", nil}, {"lmnn", nil}, {"sqfa", method.Settings{{Name: "classifier", Value: "knn"}}},
		{"ama", method.Settings{{Name: "pairwise", Value: "2"}}}, {"ama", method.Settings{{Name: "tol", Value: "0.1"}}},
		{"ama", method.Settings{{Name: "start-rows", Value: "50"}}},
	} {
		m := testkit.Must(method.Lookup(c.name))(t)
		spec := testkit.Must(m.With(c.set))(t)
		testkit.Fails(t, spec.OutOfCore(), c.name, c.set, "passes")
	}
}
