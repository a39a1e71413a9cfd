package model

import (
	"context"
	"fmt"
	"math"

	"rao/internal/classifiers"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// Map is a fitted map from SPD matrices to other, usually smaller, SPD matrices, such as gaPCA, common spatial
// patterns, SQFA on class means, a sub-manifold or a geodesic filter. A map of the form X → W'XW can be exported to
// ONNX if it also has a method Congruence() *mat.Dense, which returns W.
type Map interface {
	// Dims returns the orders of the matrices before and after the map.
	Dims() (in, out int)
	// Map writes the mapped matrices to dst and does not change x. An empty dst is resized; another shape panics with
	// mat.ErrShape.
	Map(dst, x *spd.Stack) error
	// Validate returns an error if the fields, which may be read from a file, are invalid.
	Validate() error
}

// mapping is the stage that applies a fitted [Map].
type mapping struct{ Map }

func (m *mapping) inner() any { return m.Map }

// Out implements Stage.
func (m *mapping) Out(in Schema) (Schema, error) {
	n, out := m.Dims()
	return Schema{Kind: KindMatrices, Dim: out}, in.Wants(KindMatrices, n)
}

// Apply implements Stage.
func (m *mapping) Apply(_ context.Context, b Batch) (Batch, error) {
	_, n := m.Dims()
	out := b.memory.matrices(b.Stack.Count, n)
	err := m.Map.Map(out, b.Stack)
	return Matrices(out), err
}

// LogVariance is the stage that computes the logarithms of a covariance's diagonal: the features of common spatial
// patterns.
type LogVariance struct{}

// Out implements Stage.
func (*LogVariance) Out(in Schema) (Schema, error) {
	return Schema{Kind: KindVectors, Dim: in.Dim}, in.Wants(KindMatrices, in.Dim)
}

// Apply implements Stage. A variance that is not positive is an error.
func (*LogVariance) Apply(_ context.Context, b Batch) (Batch, error) {
	x := b.Stack
	out := b.memory.dense(x.Count, x.Dim)
	for k := range x.Count {
		for i := range x.Dim {
			v := x.At(k)[i*x.Dim+i]
			if !vec.Positive(v) {
				return b, faults.Also(fmt.Errorf("matrix %d has the variance %g on its diagonal, in row %d; it must "+
					"be positive and finite", k, v, i),
					&spd.MatrixError{Role: "matrix", Index: k, Problem: spd.ProblemNotPositiveDefinite, Value: v})
			}
			out.Set(k, i, math.Log(v))
		}
	}
	return Vectors(out), nil
}

// tangent is the stage that maps SPD matrices to tangent vectors.
type tangent struct{ *classifiers.TangentSpace }

func (t *tangent) inner() any { return t.TangentSpace }

// Out implements Stage.
func (t *tangent) Out(in Schema) (Schema, error) {
	n, d := t.Dims()
	return Schema{Kind: KindVectors, Dim: d}, in.Wants(KindMatrices, n)
}

// Apply implements Stage.
func (t *tangent) Apply(ctx context.Context, b Batch) (Batch, error) {
	_, p := t.Dims()
	v := b.memory.dense(b.Stack.Count, p)
	return Vectors(v), t.Vectors(ctx, v, b.Stack)
}
