package classify

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/spd"
)

// TangentSpace maps SPD matrices to vectors: with Metric riemann the tangent
// vectors at Reference, with logeuclid the packed logarithms. It is part of the
// models that classify in a tangent space.
type TangentSpace struct {
	Metric    spd.Metric // spd.Riemann or spd.LogEuclid
	N         int        // order of the matrices
	Reference []float64  // n×n; nil for logeuclid
}

// fitTangent places the tangent space at the mean of x.
func fitTangent(ctx context.Context, x *spd.Stack, metric spd.Metric, opt spd.MeanOptions) (*TangentSpace, error) {
	m, err := spd.LookupMetric(string(metric))
	if err != nil {
		return nil, err
	}
	t := &TangentSpace{Metric: m, N: x.Dim}
	switch m {
	case spd.LogEuclid:
		return t, nil
	case spd.Riemann:
		mean, _, err := spd.Mean(ctx, x, nil, m, opt)
		if err != nil && !rao.IsNotConverged(err) {
			return nil, err
		}
		t.Reference = mean.RawSymmetric().Data
		return t, err
	}
	return nil, fmt.Errorf("metric %q has no tangent space here; use riemann or logeuclid", m)
}

// vectors writes the vectors of the matrices of x to dst.
func (t *TangentSpace) vectors(dst *mat.Dense, x *spd.Stack) error {
	if t.Metric == spd.LogEuclid {
		return spd.LogVectors(dst, x)
	}
	return spd.TangentVectors(dst, x, mat.NewSymDense(t.N, t.Reference))
}

// matrices is the inverse of vectors.
func (t *TangentSpace) matrices(dst *spd.Stack, v mat.Matrix) error {
	ref := t.Reference
	if t.Metric == spd.LogEuclid {
		ref = make([]float64, t.N*t.N)
		for i := range t.N {
			ref[i*t.N+i] = 1
		}
	}
	return spd.UntangentVectors(dst, v, mat.NewSymDense(t.N, ref))
}

// dim returns the length of the vectors.
func (t *TangentSpace) dim() int { return spd.TangentDim(t.N) }

// validate checks the exported fields.
func (t *TangentSpace) validate() error {
	if t == nil || t.N < 1 {
		return fmt.Errorf("the tangent space is missing")
	}
	switch t.Metric {
	case spd.LogEuclid:
		return nil
	case spd.Riemann:
		return checkPoint("reference of the tangent space", t.Reference, t.N)
	}
	return fmt.Errorf("tangent space of unknown metric %q", t.Metric)
}

// linear is a linear classifier on tangent vectors: scores v'w_i + b_i, of which
// the posterior is the softmax.
func linearPosterior(dst *mat.Dense, method string, t *TangentSpace, coef *mat.Dense, intercepts []float64, x *spd.Stack) error {
	if err := checkOrder(method, x, t.N); err != nil {
		return err
	}
	shape(dst, x.Count, len(intercepts))
	if x.Count == 0 {
		return nil
	}
	var v mat.Dense
	if err := t.vectors(&v, x); err != nil {
		return err
	}
	dst.Mul(&v, coef.T())
	for k := range x.Count {
		row := dst.RawRowView(k)
		for i, b := range intercepts {
			row[i] += b
		}
		normalize(row)
	}
	return nil
}
