package gaussian

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classcolumns"
	"rao/internal/hugepages"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
)

// Statistics are the counts, means and covariances of c classes in n dimensions. Methods do not change the receiver
// unless their documentation states it. They may be called from several goroutines.
type Statistics struct {
	Classes     []string  // class names, length c
	Counts      []int     // observations per class, length c
	Weights     []float64 // sum of the weights of each class's observations, length c; nil: each has weight 1
	Dim         int       // n, the number of dimensions
	Means       []float64 // c×n, row-major
	Covariances []float64 // c×n×n, row-major, both triangles, divisor count-1 (or sum of weights - 1), unshrunk

	// Cubic and Quartic are moments about the class mean μ, which Ledoit-Wolf shrinkage needs. They are nil if unknown.
	Cubic   []float64 // c×n: Σ‖x-μ‖²(x-μ)
	Quartic []float64 // c: Σ‖x-μ‖⁴

	Columns []string  // names of the n columns; nil if unknown
	Inputs  *Inputs   // how rows of a table became the vectors; nil if unknown
	Parts   []Part    // the rows that the statistics are from, if known
	Labels  LabelType // type of the labels that the class names stand for

	Unmarked bool // read from a file without rao's manifest
	Single   bool // the covariances were stored in single precision and have seven digits

	own bool // the covariances come from an accumulator, so they are symmetric, and finite if the variances are
}

// Part identifies the rows behind statistics or a model: their number, a digest that does not depend on their order,
// and the smallest of their hashes, which show whether two parts share rows.
type Part = provenance.Part

// DoubtError is the error of [Merge] for parts that do not seem to belong together. [MergeInOrder] confirms the doubt.
type DoubtError = provenance.DoubtError

// LabelType is numpy's name for the type of the class labels, or "text". If it is empty, only the class names are
// known.
type LabelType string

// New returns zero statistics of the given classes in n dimensions. It panics if n < 1.
func New(classes []string, n int) *Statistics {
	if n < 1 {
		panic("gaussian: the dimension is below 1")
	}
	c := len(classes)
	return &Statistics{
		Classes: append([]string(nil), classes...), Counts: make([]int, c), Dim: n,
		Means: make([]float64, c*n), Covariances: hugepages.Make[float64](c * n * n),
	}
}

// NumClasses returns the number of classes.
func (s *Statistics) NumClasses() int { return len(s.Counts) }

// Mean returns the mean of class i; it shares memory with s.
func (s *Statistics) Mean(i int) []float64 {
	return s.Means[i*s.Dim : (i+1)*s.Dim : (i+1)*s.Dim]
}

// Covariance returns the covariance of class i, n×n. It shares memory with s: its raw data are a part of Covariances.
// If you change off-diagonal entries, change both triangles.
func (s *Statistics) Covariance(i int) *mat.SymDense { return mat.NewSymDense(s.Dim, s.cov(i)) }

// cov returns the covariance of class i, n×n row-major.
func (s *Statistics) cov(i int) []float64 {
	nn := s.Dim * s.Dim
	return s.Covariances[i*nn : (i+1)*nn : (i+1)*nn]
}

// Total returns the number of observations of all classes together.
func (s *Statistics) Total() int { return vec.Total(s.Counts) }

// Priors returns each class's share of the observations, or of their total weight if they have weights.
func (s *Statistics) Priors() []float64 { return classcolumns.Shares(s.Counts, s.Weights) }

// Stream returns the statistics as a source whose Load returns s, or the error of [Statistics.Validate].
func (s *Statistics) Stream(context.Context) (*Source, error) {
	out := s.Source()
	out.loaded = s
	return out, s.Validate()
}

// Clone returns a copy that shares only Inputs with s. It has no record of the rows (Parts, Unmarked).
func (s *Statistics) Clone() *Statistics {
	return &Statistics{
		Classes: append([]string(nil), s.Classes...), Counts: append([]int(nil), s.Counts...),
		Weights: slices.Clone(s.Weights), Dim: s.Dim,
		Means: append([]float64(nil), s.Means...), Covariances: append([]float64(nil), s.Covariances...),
		Cubic: append([]float64(nil), s.Cubic...), Quartic: append([]float64(nil), s.Quartic...),
		Columns: slices.Clone(s.Columns), Inputs: s.Inputs, Labels: s.Labels, Single: s.Single,
	}
}

// Validate returns an error unless a fit can use the statistics: consistent lengths, finite values, symmetric
// covariances with no negative variance, and at least two observations in every class.
func (s *Statistics) Validate() error {
	if err := s.check(); err != nil {
		return err
	}
	return classcolumns.Enough(s.Counts, s.Weights, 1, s.Classes)
}

// check verifies lengths, finiteness and symmetry. Classes with fewer than two observations pass, because parts may
// have them until they are merged.
func (s *Statistics) check() error {
	if err := s.arrays().Check(); err != nil {
		return err
	}
	return s.Inputs.validate(s.Columns, s.Dim)
}

// arrays returns the arrays of the statistics, which share memory with s.
func (s *Statistics) arrays() *statsarrays.Arrays {
	return &statsarrays.Arrays{Classes: s.Classes, Counts: s.Counts, Weights: s.Weights, Dim: s.Dim, Means: s.Means,
		Covariances: s.Covariances, Cubic: s.Cubic, Quartic: s.Quartic, Columns: s.Columns, Single: s.Single,
		Symmetric: s.own}
}

// ofArrays returns statistics that share memory with the arrays of a file.
func ofArrays(a *statsarrays.Arrays) *Statistics {
	return &Statistics{Classes: a.Classes, Counts: a.Counts, Weights: a.Weights, Dim: a.Dim, Means: a.Means,
		Covariances: a.Covariances, Cubic: a.Cubic, Quartic: a.Quartic, Columns: a.Columns, Single: a.Single}
}

// Pooled returns the mean of the mixture of the classes and its covariances: within is the weighted mean of the
// classes' covariances, between the covariance of their means, and total their sum. The priors are normalized to sum
// to one; nil means [Statistics.Priors]. It panics with mat.ErrShape if the number of priors is not the number of
// classes.
func (s *Statistics) Pooled(priors []float64) (mean []float64, within, between, total *mat.SymDense) {
	n := s.Dim
	mean, w, b, t := s.pooled(priors)
	return mean, mat.NewSymDense(n, w), mat.NewSymDense(n, b), mat.NewSymDense(n, t)
}

// pooled is [Statistics.Pooled] with matrices row-major, both triangles.
func (s *Statistics) pooled(priors []float64) (mean, within, between, total []float64) {
	c, n := s.NumClasses(), s.Dim
	if priors == nil {
		priors = s.Priors()
	}
	if len(priors) != c {
		panic(mat.ErrShape)
	}
	sum := vec.Total(priors)
	share := make([]float64, c)
	for i, p := range priors {
		share[i] = p / sum
	}
	mean, between = moments.Between(s.Means, share, n)
	within = moments.Within(s.Covariances, share, n)
	total = slices.Clone(between)
	vec.Axpy(total, 1, within)
	return mean, within, between, total
}
