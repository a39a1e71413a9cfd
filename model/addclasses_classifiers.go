package model

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/internal/optionvalues"
	"rao/spd"
)

// qdaWithClasses returns a copy of q with the classes of s added, using the same regularization. The existing classes
// do not change. counts are the numbers of observations of the existing classes, or nil if unknown. If the existing
// priors are proportional to counts, the new priors are proportional to all counts; otherwise each new class gets an
// equal share. It returns the same errors as [classify.FitQDA]. It panics with mat.ErrShape if s has a different
// dimension.
func qdaWithClasses(q *classify.QDA, s *gaussian.Statistics, counts []int) (*classify.QDA, error) {
	if s.Dim != q.Dim() {
		panic(mat.ErrShape)
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("qda: %w", err)
	}
	rule := gaussian.ShrinkRule{Kind: q.Shrinkage}
	if rule.Kind == optionvalues.ShrinkageFixed {
		rule.Amount = q.Shrunk[0]
	}
	shrunk, rho, err := s.Shrink(rule)
	if err != nil {
		return nil, fmt.Errorf("qda: %w", err)
	}
	c, k, n := q.NumClasses(), s.NumClasses(), q.Dim()
	out := &classify.QDA{Classes: slices.Clone(q.Classes), Priors: extendedPriors(q.Priors, counts, s.Counts),
		Means: mat.NewDense(c+k, n, nil), Covariances: spd.NewStack(c+k, n), RegParam: q.RegParam,
		Shrinkage: q.Shrinkage, Shrunk: slices.Concat(q.Shrunk, rho)}
	for i := range c {
		out.Means.SetRow(i, q.Means.RawRowView(i))
		copy(out.Covariances.At(i), q.Covariances.At(i))
	}
	for i := range k {
		out.Classes = append(out.Classes, s.Name(i))
		out.Means.SetRow(c+i, s.Mean(i))
		cov := out.Covariances.At(c + i)
		for j, v := range shrunk.Covariance(i).RawSymmetric().Data {
			cov[j] = (1 - q.RegParam) * v
		}
		for j := range n {
			cov[j*n+j] += q.RegParam
		}
	}
	return out, out.Prepare()
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
	if sharesOf(priors, counts) {
		total := 0.0
		for _, n := range slices.Concat(counts, more) {
			total += float64(n)
		}
		out := make([]float64, 0, c+k)
		for _, n := range slices.Concat(counts, more) {
			out = append(out, float64(n)/total)
		}
		return out
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

// sharesOf reports whether the priors are proportional to the counts.
func sharesOf(priors []float64, counts []int) bool {
	if len(counts) != len(priors) {
		return false
	}
	total := 0.0
	for _, n := range counts {
		total += float64(n)
	}
	for i, n := range counts {
		if !(math.Abs(priors[i]-float64(n)/total) <= 1e-9) {
			return false
		}
	}
	return true
}
