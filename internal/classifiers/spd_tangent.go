package classifiers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
	"rao/spd"
)

// TangentSpace maps SPD matrices to vectors: the tangent vectors at Reference for riemann, or the packed logarithms
// for logeuclid. It is part of the models that classify in a tangent space.
type TangentSpace struct {
	Metric    spd.Metric    `json:"metric"`    // riemann or logeuclid
	N         int           `json:"n"`         // order of the matrices
	Reference *mat.SymDense `json:"reference"` // nil for logeuclid
}

// FitTangentSpace returns a tangent space at the Riemannian mean of x if metric is spd.Riemann, or a space of matrix
// logarithms, which needs no mean, if metric is spd.LogEuclid. It returns an error for other metrics. If the mean does
// not converge, it returns a usable space and a *rao.NotConvergedError.
func FitTangentSpace(ctx context.Context, x *spd.Stack, metric spd.Metric, opt spd.MeanOptions) (*TangentSpace, error) {
	m, err := tangentMetric(metric)
	if err != nil {
		return nil, err
	}
	if err := x.Validate(); err != nil {
		return nil, err
	}
	t := &TangentSpace{Metric: m, N: x.Dim}
	if m.Flat() != nil {
		return t, nil
	}
	if t.Reference, _, err = spd.Mean(ctx, x, nil, m, opt); err != nil && !rao.HasModel(err) {
		return nil, err
	}
	return t, err
}

// tangentMetric returns the metric with the given name if it has a tangent space.
func tangentMetric(metric spd.Metric) (spd.Metric, error) {
	m, err := spd.ParseMetric(string(metric))
	if known := spd.TangentMetrics(); err == nil && !slices.Contains(known, string(m)) {
		err = faults.Option("this method does not support the metric %q; use %s", m, strings.Join(known, " or "))
	}
	return m, err
}

// Dims returns the order n of the matrices and the length n(n+1)/2 of their vectors.
func (t *TangentSpace) Dims() (n, vector int) { return t.N, t.dim() }

func (t *TangentSpace) dim() int { return vec.PackedLen(t.N) }

// Vectors writes the vector of matrix k of x to row k of dst. An empty dst is resized. It returns an error if the
// matrices have another order; other errors name a matrix that is not positive definite. If ctx ends, Vectors returns
// the error of ctx after a few more matrices.
func (t *TangentSpace) Vectors(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	if err := common.CheckOrder(x, t.N); err != nil {
		return err
	}
	if f := t.Metric.Flat(); f != nil {
		return f.Rows(ctx, dst, x)
	}
	return spd.TangentVectors(ctx, dst, x, t.Reference)
}

// trainingSpace works like [FitTangentSpace] and also returns the vectors of the training matrices. unsettled is the
// *rao.NotConvergedError of a usable mean. If ctx ends before the vectors are computed, the fit has no usable result,
// and err reports it.
func trainingSpace(ctx context.Context, x *spd.Stack, metric spd.Metric,
	opt spd.MeanOptions) (t *TangentSpace, v *mat.Dense, unsettled, err error) {
	v = new(mat.Dense)
	m, err := tangentMetric(metric)
	if err != nil {
		return nil, nil, nil, err
	}
	t = &TangentSpace{Metric: m, N: x.Dim}
	if f := m.Flat(); f != nil {
		err = f.Rows(ctx, v, x)
	} else if t.Reference, _, err = spd.MeanVectors(ctx, v, x, nil, opt); rao.HasModel(err) {
		unsettled, err = err, nil
	}
	return t, v, unsettled, beforeUse(ctx, err)
}

// beforeUse adds to an error caused by ctx that the model is not usable yet.
func beforeUse(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("canceled before a usable model was found: %w", err)
	}
	return err
}

// matrices sets dst to the matrices of the tangent vectors v. It is the inverse of Vectors.
func (t *TangentSpace) matrices(dst *spd.Stack, v mat.Matrix) error {
	f := t.Metric.Flat()
	if f == nil {
		return spd.UntangentVectors(dst, v, t.Reference)
	}
	x, err := f.Matrices(mat.DenseCopyOf(v).RawMatrix().Data, t.N)
	if err == nil {
		*dst = *x
	}
	return err
}

// Validate checks the exported fields. Call it after reading them from a file.
func (t *TangentSpace) Validate() error {
	if t == nil || t.N < 1 {
		return fmt.Errorf("the tangent space is missing; fit the model again")
	}
	if t.Metric == "" {
		return errors.New("the tangent space has no metric; fit the model again")
	}
	if _, err := tangentMetric(t.Metric); err != nil || t.Metric.Flat() != nil {
		return err
	}
	return common.CheckPoint("reference of the tangent space", t.Reference, t.N)
}

// tangentWork is the scratch memory for tangent vectors and products with them.
type tangentWork struct {
	v  mat.Dense
	by []float64
}

var tangentWorks = sync.Pool{New: func() any { return new(tangentWork) }}

// product returns v A, or v A' if of is blas.Trans, in the memory of w.
func (w *tangentWork) product(v, a *mat.Dense, of blas.Transpose) blas64.General {
	n, _ := v.Dims()
	in, out := a.Dims()
	if of == blas.Trans {
		out = in
	}
	vec.Room(&w.by, n*out)
	c := blas64.General{Rows: n, Cols: out, Stride: out, Data: w.by}
	blas64.Gemm(blas.NoTrans, of, 1, v.RawMatrix(), a.RawMatrix(), 0, c)
	return c
}

// linearPosterior computes the posterior of a linear classifier on tangent vectors: the softmax of the scores (v'w_i +
// b_i)/T, row by row, so the bits of a row do not depend on the other rows.
func linearPosterior(ctx context.Context, dst *mat.Dense, l TangentScores, x *spd.Stack) error {
	if err := common.CheckOrder(x, l.Space.N); err != nil {
		return err
	}
	rows.Shape(dst, x.Count, len(l.Intercepts))
	if x.Count == 0 {
		return nil
	}
	w := tangentWorks.Get().(*tangentWork)
	defer tangentWorks.Put(w)
	v := rows.Reshape(&w.v, x.Count, l.Space.dim())
	if err := l.Space.Vectors(ctx, v, x); err != nil {
		return err // not wrapped, because package model adds the number of earlier matrices to the error's Index
	}
	l.posterior(dst, v)
	return nil
}

// posterior writes the log-probabilities of tangent vectors.
func (l TangentScores) posterior(dst, v *mat.Dense) {
	n, _ := v.Dims()
	for k := range n {
		row, z := dst.RawRowView(k), v.RawRowView(k)
		for i, b := range l.Intercepts {
			row[i] = (vec.Dot(l.Coefficients.RawRowView(i), z) + b) / l.Temperature
		}
		vec.LogSoftmax(row)
	}
}
