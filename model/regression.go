package model

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

// Regressor is a fitted map from SPD matrices to numbers.
type Regressor interface {
	// Dim returns the order of the matrices.
	Dim() int
	// Values writes the predicted number of each matrix to dst, which must have one element per matrix.
	Values(ctx context.Context, dst []float64, x *spd.Stack) error
	// Validate returns an error if the fields, which may be read from a file, are invalid.
	Validate() error
}

// regression is the stage that maps each SPD matrix to a predicted value, a vector of length one. A model that ends
// with it has no classifier, and its only class is named after the target.
type regression struct{ Regressor }

func (r *regression) inner() any { return r.Regressor }

// Out implements Stage.
func (r *regression) Out(in Schema) (Schema, error) {
	return Schema{Kind: KindVectors, Dim: 1}, in.Wants(KindMatrices, r.Dim())
}

// Apply implements Stage.
func (r *regression) Apply(ctx context.Context, b Batch) (Batch, error) {
	values := make([]float64, max(1, b.Stack.Count))
	if err := r.Values(ctx, values[:b.Stack.Count], b.Stack); err != nil {
		return b, err
	}
	return Vectors(mat.NewDense(len(values), 1, values).Slice(0, b.Stack.Count, 0, 1)), nil
}

// Target returns the name of the predicted number, or "" for a model that predicts classes.
func (m *Model) Target() string {
	if m.Classifier != nil || StageOf[Regressor](m) == nil || len(m.Classes) != 1 {
		return ""
	}
	return m.Classes[0]
}

// Values returns the predicted number for each observation. It returns an error if the model is not a regression, the
// observations do not match the model's schema, or ctx is canceled.
func (m *Model) Values(ctx context.Context, b Batch) ([]float64, error) {
	if m.Classifier == nil && StageOf[Regressor](m) == nil {
		return nil, fmt.Errorf("the %s model computes features, not numbers; fit a regression for numbers", m.Method)
	}
	if m.Target() == "" {
		return nil, fmt.Errorf("the %s model predicts classes, not numbers; request its classes instead", m.Method)
	}
	z, err := m.Transform(ctx, b)
	if err != nil {
		return nil, err
	}
	return mat.Col(nil, 0, z.X), nil
}
