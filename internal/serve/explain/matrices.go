package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/model"
	"rao/spd"
)

// nearest finds the nearest of the points w of each of the two classes. The class of each point is in labels.
func (x *Explanation) nearest(d decision, metric spd.Metric, w *spd.Stack, labels []int) error {
	if _, ok := metric.Term(1); !ok {
		return &UnsupportedError{fmt.Sprintf("decisions by prototypes in the metric %s cannot be explained exactly; "+
			"use a metric that depends only on eigenvalues, such as the affine-invariant metric", metric)}
	}
	for _, class := range []int{d.top, d.next} {
		var best *PrototypeView
		for k := range w.Count {
			if labels[k] != class {
				continue
			}
			v, err := viewOf(metric, d.z.Stack.Sym(d.i), w.Sym(k))
			if err != nil {
				return err
			}
			if v.Prototype = k; best == nil || v.Distance < best.Distance {
				best = v
			}
		}
		if best == nil {
			continue
		}
		best.Class, best.Channels = d.m.Classes[class], channelsOf(d.m, w.Dim)
		x.Prototypes = append(x.Prototypes, *best)
	}
	return nil
}

// channelsOf returns the names of the n rows of the classifier's input matrices, or nil if they are not known.
func channelsOf(m *model.Model, n int) []string {
	if out, err := m.Output(); err == nil && len(out.Channels) == n {
		return out.Channels
	}
	return nil
}

// sources splits the log-odds of two classes whose coefficients are spatial patterns. With S the logarithm of the
// matrix at the mean of the training data, and W_k = Σ_j w_kj u_kj u_kj' the coefficients of class k,
//
//	log-odds = (b_a − b_b + Σ_j w_aj u_aj'S u_aj − Σ_j w_bj u_bj'S u_bj)/T
//
// which has one term per source.
func (x *Explanation) sources(ctx context.Context, m *model.Model, c patterned, one *spd.Stack, a, b int) error {
	e := c.TangentScores()
	var vectors mat.Dense
	if err := e.Space.Vectors(ctx, &vectors, one); err != nil {
		return err
	}
	constant := (e.Intercepts[a] - e.Intercepts[b]) / e.Temperature
	x.Constant = &constant
	n, _ := m.Classifier.Dims()
	logarithm := make([]float64, n*n)
	vec.Unpack(logarithm, vectors.RawRowView(0), n)
	s := mat.NewSymDense(n, logarithm)
	channels := channelsOf(m, n)
	for side, class := range []int{a, b} {
		p, err := c.Patterns(class)
		if err != nil {
			return err
		}
		sign := []float64{1, -1}[side] / e.Temperature
		for j, w := range p.Weights {
			u := mat.NewVecDense(n, mat.Col(nil, j, p.Directions))
			along := mat.Inner(u, s, u)
			x.Sources = append(x.Sources, SourceTerm{Class: m.Classes[class], Weight: w, Feature: along,
				LogOdds: sign * w * along, Filter: mat.Col(nil, j, p.Filters), Pattern: mat.Col(nil, j, p.Patterns),
				Channels: channels})
		}
	}
	slices.SortStableFunc(x.Sources, func(p, q SourceTerm) int {
		return cmp.Compare(math.Abs(q.LogOdds), math.Abs(p.LogOdds))
	})
	return nil
}

// viewOf solves A v = λ W v and sums the terms of the distance.
func viewOf(metric spd.Metric, a, w mat.Symmetric) (*PrototypeView, error) {
	n := a.SymmetricDim()
	var c mat.Cholesky
	if !c.Factorize(w) {
		return nil, errors.New("a prototype of the model is not positive definite; fit the model again with more " +
			"regularization")
	}
	var l mat.TriDense
	c.LTo(&l)
	var half, white mat.Dense
	if err := half.Solve(&l, a); err != nil {
		return nil, err
	}
	if err := white.Solve(&l, half.T()); err != nil {
		return nil, err
	}
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sym.SetSym(i, j, (white.At(i, j)+white.At(j, i))/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, true) {
		return nil, errors.New("the eigenvalues of the matrix relative to a prototype did not converge; check the " +
			"matrix for extreme values")
	}
	var u, pattern mat.Dense
	eig.VectorsTo(&u)
	pattern.Mul(&l, &u) // W v with v = L⁻ᵀ u
	logs := eig.Values(nil)
	v := &PrototypeView{}
	for i, lambda := range logs {
		if !(lambda > 0) {
			return nil, errors.New("the matrix is not positive definite; add a small value to its diagonal")
		}
		term, _ := metric.Term(lambda)
		logs[i] = math.Log(lambda)
		v.Distance += term
	}
	if metric.Square(2) == 4 {
		v.Distance = math.Sqrt(v.Distance)
	}
	bySize := indices.Sorted(n, func(i, j int) int { return cmp.Compare(math.Abs(logs[j]), math.Abs(logs[i])) })
	for k, i := range bySize {
		v.LogRatios = append(v.LogRatios, logs[i])
		if k < patterns {
			v.Patterns = append(v.Patterns, mat.Col(nil, i, &pattern))
		}
	}
	return v, nil
}
