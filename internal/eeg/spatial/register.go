package spatial

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/method"
	"rao/model"
)

func init() {
	model.Register[FilterBank]("filter-bank")
	model.Register[Evoked]("evoked")
	model.Register[TRCA]("trca")
	for _, m := range methods {
		m.After = m.after
		method.Register(m.Method)
	}
}

// methods are the methods of this package. Each is listed after the named method.
var methods = []struct {
	*method.Method
	after string
}{
	{method.New("erp", "covariances of trials stacked with the mean responses of the classes (evoked "+
		"potentials)", signals(2), fitERP), "ama"},
	{method.New("xdawn", "like erp, after spatial filters that enhance the mean responses (Xdawn)",
		signals(2), fitXdawn), "erp"},
	{method.New("trca", "filters that keep what the trials of a class share (task-related components), then "+
		"the similarity of a trial to the mean trial of each class", signals(3), fitTRCA), "xdawn"},
	{method.OnMatrices("fbcsp", "common spatial patterns of a filter bank (FBCSP): features of several bands, "+
		"selected by their mutual information with the class", method.Copies{}, fitFBCSP), "csp"},
}

// signals are the traits of a method of trial signals that makes copies of them.
func signals(copies float64) method.Traits {
	return method.Traits{Rows: true, Trials: true, Memory: method.Copies{Rows: copies}}
}

// Methods returns the names of the methods that this package registers.
func Methods() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.Name
	}
	return names
}

// Out implements [model.Stage].
func (f *FilterBank) Out(in model.Schema) (model.Schema, error) {
	n, d := f.Dims()
	return model.Schema{Kind: model.KindVectors, Dim: d}, in.Wants(model.KindMatrices, n)
}

// Apply implements [model.Stage].
func (f *FilterBank) Apply(_ context.Context, b model.Batch) (model.Batch, error) {
	var z mat.Dense
	if err := f.Features(&z, b.Stack); err != nil {
		return b, err
	}
	return model.Vectors(&z), nil
}

// Spatial returns the filters that are applied to trials, and their patterns. Both are nil if trials are not filtered.
func (e *Evoked) Spatial() (filters, patterns *mat.Dense) { return e.Filters, e.Patterns }

// Out implements [model.Stage].
func (e *Evoked) Out(in model.Schema) (model.Schema, error) {
	n, order := e.Dims()
	return model.Schema{Kind: model.KindMatrices, Dim: order}, in.Wants(model.KindVectors, n)
}

// Apply implements [model.Stage].
func (e *Evoked) Apply(_ context.Context, b model.Batch) (model.Batch, error) {
	x, err := e.Matrices(b.X)
	if err != nil {
		return b, fmt.Errorf("trial numbers count from row %d: %w", b.First, err)
	}
	return model.Matrices(x), nil
}

// Spatial returns the filters of all bands and classes, and their patterns.
func (m *TRCA) Spatial() (filters, patterns *mat.Dense) { return m.Filters, m.Patterns }

// Out implements [model.Stage].
func (m *TRCA) Out(in model.Schema) (model.Schema, error) {
	n, classes := m.Dims()
	return model.Schema{Kind: model.KindVectors, Dim: classes}, in.Wants(model.KindVectors, n)
}

// Apply implements [model.Stage].
func (m *TRCA) Apply(_ context.Context, b model.Batch) (model.Batch, error) {
	var z mat.Dense
	if err := m.Scores(&z, b.X); err != nil {
		return b, fmt.Errorf("trial numbers count from row %d: %w", b.First, err)
	}
	return model.Vectors(&z), nil
}
