package model

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/descriptor"
)

// Spatial is the stage of spatial filters: the covariances of channels become those of
// the filtered signals, X → W'XW.
type Spatial struct{ *descriptor.CSP }

func (s *Spatial) inner() any { return s.CSP }

// Out implements Stage.
func (s *Spatial) Out(in Schema) (Schema, error) {
	n, m := s.Dims()
	return Schema{Kind: KindMatrices, Dim: m}, in.wants(KindMatrices, n)
}

// Apply implements Stage.
func (s *Spatial) Apply(_ context.Context, b Batch) (Batch, error) {
	return Matrices(s.Project(b.Stack)), nil
}

// Reduction is the stage of learned filters that make matrices smaller, X → W'XW.
type Reduction struct{ *descriptor.Reduction }

func (r *Reduction) inner() any { return r.Reduction }

// Out implements Stage.
func (r *Reduction) Out(in Schema) (Schema, error) {
	n, m := r.Dims()
	return Schema{Kind: KindMatrices, Dim: m}, in.wants(KindMatrices, n)
}

// Apply implements Stage.
func (r *Reduction) Apply(_ context.Context, b Batch) (Batch, error) {
	return Matrices(r.Reduction.Apply(b.Stack)), nil
}

// LogVariance is the stage that takes the logarithms of a covariance's diagonal: the
// features of common spatial patterns.
type LogVariance struct{}

// Out implements Stage.
func (*LogVariance) Out(in Schema) (Schema, error) {
	return Schema{Kind: KindVectors, Dim: in.Dim}, in.wants(KindMatrices, in.Dim)
}

// Apply implements Stage. A variance that is not positive is an error.
func (*LogVariance) Apply(_ context.Context, b Batch) (Batch, error) {
	x := b.Stack
	out := mat.NewDense(max(1, x.Count), x.Dim, nil).Slice(0, x.Count, 0, x.Dim).(*mat.Dense)
	for k := range x.Count {
		for i := range x.Dim {
			v := x.At(k)[i*x.Dim+i]
			if !(v > 0) || math.IsInf(v, 0) {
				return b, fmt.Errorf("matrix %d has the variance %g in row %d; it must be positive", k, v, i)
			}
			out.Set(k, i, math.Log(v))
		}
	}
	return Vectors(out), nil
}

// Validate implements Stage.
func (*LogVariance) Validate() error { return nil }

// Tangent is the stage that maps SPD matrices to tangent vectors.
type Tangent struct{ *classify.TangentSpace }

func (t *Tangent) inner() any { return t.TangentSpace }

// Out implements Stage.
func (t *Tangent) Out(in Schema) (Schema, error) {
	n, d := t.Dims()
	return Schema{Kind: KindVectors, Dim: d}, in.wants(KindMatrices, n)
}

// Apply implements Stage.
func (t *Tangent) Apply(_ context.Context, b Batch) (Batch, error) {
	var v mat.Dense
	if err := t.Vectors(&v, b.Stack); err != nil {
		return b, err
	}
	return Vectors(&v), nil
}
