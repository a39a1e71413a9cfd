package model

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/classstats"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/spd"
)

// qdaWithClasses returns a copy of q with the classes of s added, using the same regularization. The existing classes
// do not change. counts are the numbers of observations of the existing classes, or nil if unknown. If the existing
// priors are proportional to counts, the new priors are proportional to all counts; otherwise each new class gets an
// equal share. It returns the same errors as [classify.FitQDA]. It panics with mat.ErrShape if s has a different
// dimension.
func qdaWithClasses(q *classify.QDA, s *gaussian.Statistics, counts []int) (*classify.QDA, error) {
	if s.Dim != q.Covariances.Dim {
		panic(mat.ErrShape)
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("qda: %w", err)
	}
	rule := gaussian.ShrinkRule{Kind: q.Shrinkage}
	if rule.Kind == optionvalues.ShrinkageFixed {
		rule.Amount = q.Shrunk[0]
	}
	s, rho, err := classstats.Regularize(s, rule, q.RegParam)
	if err != nil {
		return nil, fmt.Errorf("qda: %w", err)
	}
	c, k, n := len(q.Classes), s.NumClasses(), s.Dim
	out := &classify.QDA{Classes: slices.Clone(q.Classes), Priors: extendedPriors(q.Priors, counts, s.Counts),
		Means:       new(mat.Dense),
		Covariances: spd.StackOf(c+k, n, slices.Concat(q.Covariances.Contiguous(), s.Covariances)),
		RegParam:    q.RegParam, Shrinkage: q.Shrinkage, Shrunk: slices.Concat(q.Shrunk, rho)}
	out.Means.Stack(q.Means, mat.NewDense(k, n, s.Means))
	for i := range k {
		out.Classes = append(out.Classes, naming.Class(s.Classes, i))
	}
	return out, out.Validate()
}

// knnWithClasses returns a copy of m with the rows of x added; row i belongs to classes[labels[i]]. It returns the same
// errors as [classify.FitKNN].
func knnWithClasses(m *classify.KNN, x mat.Matrix, labels []int, classes []string) (*classify.KNN, error) {
	var rows mat.Dense
	rows.Stack(m.Rows, x)
	all := slices.Clone(m.Labels)
	for _, l := range labels {
		all = append(all, len(m.Classes)+l)
	}
	opt := classify.KNNOptions{K: m.K}
	if c := float64(len(m.Classes)); m.Smoothing != 1/c { // not the default
		opt.Smoothing = m.Smoothing
	}
	return classify.FitKNN(&rows, all, slices.Concat(m.Classes, classes), opt)
}

// extendedPriors returns the priors after classes are added.
func extendedPriors(priors []float64, counts, more []int) []float64 {
	c, k := len(priors), len(more)
	if len(counts) == c && floats.EqualApprox(priors, classcolumns.Shares(counts, nil), 1e-9) {
		return classcolumns.Shares(slices.Concat(counts, more), nil)
	}
	out := make([]float64, c+k)
	for i := range out {
		out[i] = 1 / float64(c+k)
		if i < c {
			out[i] = priors[i] * float64(c) / float64(c+k)
		}
	}
	return out
}
