package rao_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/method"
	"rao/model"
	"rao/spd"
	"rao/synth"
)

// This file adds a classifier and a learner as another module would: a type, its registration and its method, with
// exported identifiers only.

// center is a classifier of vectors by the squared distance to the class means.
type center struct {
	Means *mat.Dense `json:"means"` // classes × dimensions
	Scale float64    `json:"scale"`
}

func (c *center) Dims() (in, classes int) { classes, in = c.Means.Dims(); return in, classes }

func (c *center) Validate() error {
	if c.Means == nil || c.Means.IsEmpty() || !(c.Scale > 0) {
		return errors.New("the class means are missing, or the scale is not positive")
	}
	return nil
}

func (c *center) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	n, dim := x.Dims()
	_, k := c.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, k)
	}
	for i := range n {
		sum := 0.0
		for j := range k {
			d := 0.0
			for l := range dim {
				d += math.Pow(x.At(i, l)-c.Means.At(j, l), 2)
			}
			dst.Set(i, j, -d/c.Scale)
			sum += math.Exp(-d / c.Scale)
		}
		for j := range k {
			dst.Set(i, j, dst.At(i, j)-math.Log(sum))
		}
	}
	return ctx.Err()
}

type centerOptions struct {
	Scale float64 `opt:"spread" default:"1" above:"0" help:"squared distance over which a posterior falls by a factor of e"`
}

func fitCenter(_ context.Context, j *method.Job, o *centerOptions) error {
	d := j.Data
	_, dim := d.X.Dims()
	means := mat.NewDense(len(d.Classes), dim, nil)
	for i, l := range d.Labels {
		for j := range dim {
			means.Set(l, j, means.At(l, j)+d.X.At(i, j)/float64(d.Counts()[l]))
		}
	}
	j.Model.Classifier, j.Model.Report.Status = &center{means, o.Scale}, rao.StatusClosed
	return nil
}

// halves is a learner of features: the sum of each half of the columns.
type halves struct {
	N int `json:"n"`
}

func (h *halves) Out(in model.Schema) (model.Schema, error) {
	if in.Kind != model.KindVectors || in.Dim != h.N {
		return in, errors.New("takes the vectors it was fitted to")
	}
	return model.Schema{Kind: model.KindVectors, Dim: 2}, nil
}

func (h *halves) Apply(_ context.Context, b model.Batch) (model.Batch, error) {
	n, dim := b.X.Dims()
	z := mat.NewDense(n, 2, nil)
	for i := range n {
		for j := range dim {
			z.Set(i, 2*j/dim, z.At(i, 2*j/dim)+b.X.At(i, j))
		}
	}
	return model.Vectors(z), nil
}

type halvesOptions struct {
	Seed uint64 `opt:"seed" default:"1" help:"not used"`
}

func fitHalves(ctx context.Context, j *method.Job, _ *halvesOptions) error {
	d, m := j.Data, j.Model
	_, dim := d.X.Dims()
	m.Stages = []model.Stage{&halves{dim}}
	z, err := m.Transform(ctx, model.BatchOf(d))
	if err != nil {
		return err
	}
	m.Classifier, err = classify.FitKNN(z.X, d.Labels, d.Classes, classify.KNNOptions{K: 3})
	return err
}

// matrixOptions offers the preprocessing of every method of matrices.
type matrixOptions struct{ method.OnManifold }

func fitMatrices(ctx context.Context, j *method.Job, x *spd.Stack, _ *matrixOptions) (err error) {
	j.Model.Classifier, err = classify.FitMDM(ctx, x, j.Data.Labels, j.Data.Classes,
		classify.MDMOptions{Metric: spd.LogEuclid})
	return err
}

func init() {
	model.Register[center]("test-center")
	model.Register[halves]("test-halves")
	method.Register(method.New("test-center", "nearest mean", method.Traits{Rows: true}, fitCenter))
	method.Register(method.New("test-halves", "sums of halves", method.Traits{Rows: true}, fitHalves))
	method.Register(method.OnMatrices("test-matrices", "nearest mean of matrices", method.Copies{}, fitMatrices))
}

// Classifiers and methods that another module registers are found by name, accept options, can follow other methods,
// and are saved and loaded like those of this module.
func TestAnotherModuleAddsAClassifierAndALearner(t *testing.T) {
	ctx := context.Background()
	d := must(synth.Generate("toy1-shifted", synth.GenerateOptions{PerClass: 60, Seed: 1}))(t)
	for _, c := range []struct {
		name string
		set  method.Settings
	}{
		{"test-center", method.Settings{{Name: "spread", Value: "4"}}},
		{"test-halves", nil},
		{"pca", method.Settings{{Name: "filters", Value: "4"}, {Name: "classifier", Value: "test-center:spread=2"}}},
	} {
		m := must(method.Lookup(c.name))(t)
		fitted, err := m.Fit(ctx, method.InMemory{Data: d}, c.set, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if again := reload(t, fitted); !samePosterior(t, fitted, again, d) {
			t.Errorf("%s: the saved model says something else", c.name)
		}
	}
	m, _ := method.Lookup("test-center")
	if _, err := m.With(method.Settings{{Name: "spread", Value: "0"}}); err == nil {
		t.Error("a value out of range is accepted")
	}
}

// A method of another module that embeds OnManifold gets adapted matrices.
func TestAnotherModuleAddsAMethodOfPreparedMatrices(t *testing.T) {
	d := must(synth.Generate("syn1", synth.GenerateOptions{PerClass: 25, Seed: 2}))(t)
	m := must(method.Lookup("test-matrices"))(t)
	set := method.Settings{{Name: "adapt", Value: "center"}}
	fitted := must(m.Fit(context.Background(), method.InMemory{Data: d}, set, nil))(t)
	if model.StageOf[*model.Adaptation](fitted) == nil {
		t.Errorf("the model has the stages %v, without an adaptation", fitted.Stages)
	}
	if !samePosterior(t, fitted, reload(t, fitted), d) {
		t.Error("the saved model predicts other probabilities")
	}
}

func reload(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	back := must(model.Read(bytes.NewReader(file.Bytes()), int64(file.Len()), m.Method))(t)
	return back
}

func samePosterior(t *testing.T, a, b *model.Model, d *dataset.Data) bool {
	t.Helper()
	p := must(method.Predict(context.Background(), a, d))(t)
	q := must(method.Predict(context.Background(), b, d))(t)
	return mat.Equal(p.LogPosterior, q.LogPosterior)
}

// must is testkit.Must, which another module cannot import.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
