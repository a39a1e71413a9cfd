// Package classstats contains the arithmetic on class statistics that several learners need: marginals, discriminants,
// checks, and sums in place.
package classstats

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
)

// CovarianceOf returns the covariance of class i, n×n row-major, which shares memory with s.
func CovarianceOf(s *gaussian.Statistics, i int) []float64 {
	nn := s.Dim * s.Dim
	return s.Covariances[i*nn : (i+1)*nn : (i+1)*nn]
}

// Validate calls [gaussian.Statistics.Validate], and also returns an error if there are fewer than the given number of
// classes.
func Validate(s *gaussian.Statistics, classes int) error {
	if err := s.Validate(); err != nil {
		return err
	}
	return classcolumns.Enough(s.Counts, s.Weights, classes, s.Classes)
}

// Weight returns the weight of class i: the sum of the weights of its observations, or their number if they have no
// weights.
func Weight(s *gaussian.Statistics, i int) float64 {
	return classcolumns.WeightOf(s.Counts, s.Weights, i)
}

// TotalWeight returns the sum of the weights of all classes.
func TotalWeight(s *gaussian.Statistics) float64 {
	return classcolumns.TotalWeight(s.Counts, s.Weights)
}

// Freedom returns the degrees of freedom of the covariance of class i: its weight minus 1, but at least 0.
func Freedom(s *gaussian.Statistics, i int) float64 { return max(0, Weight(s, i)-1) }

// Pooled returns the mean of the covariances of the classes, n×n, weighted by their degrees of freedom.
func Pooled(s *gaussian.Statistics) []float64 {
	w, freedom := make([]float64, s.Dim*s.Dim), 0.0
	for i := range s.Counts {
		freedom += Freedom(s, i)
	}
	for i := range s.Counts {
		vec.Axpy(w, Freedom(s, i)/freedom, CovarianceOf(s, i))
	}
	return w
}

// Regularize returns the statistics with covariances that are first shrunk by the rule and then mixed with the
// identity, Φ → (1-r)Φ + r I, and the coefficient of the shrinkage of each class.
func Regularize(s *gaussian.Statistics, rule gaussian.ShrinkRule, r float64) (*gaussian.Statistics, []float64, error) {
	out, rho, err := s.Shrink(rule)
	if err != nil || r == 0 {
		return out, rho, err
	}
	for i := range out.Covariances {
		out.Covariances[i] *= 1 - r
	}
	out.AddNoise(r)
	return out, rho, nil
}

// SecondMoment returns Φ + μμ' of class i, n×n, with both triangles in its raw data.
func SecondMoment(s *gaussian.Statistics, i int) *mat.SymDense {
	n := s.Dim
	dst := make([]float64, n*n)
	mean, cov := s.Mean(i), CovarianceOf(s, i)
	for j, x := range mean {
		row := dst[j*n : (j+1)*n]
		for k, y := range mean {
			row[k] = cov[j*n+k] + x*y
		}
	}
	return mat.NewSymDense(n, dst)
}

// Marginals returns the means and variances of the columns in the classes; the means share memory with s.
func Marginals(s *gaussian.Statistics) *classcolumns.Marginals {
	m := &classcolumns.Marginals{Classes: s.Classes, Counts: s.Counts, Weights: s.Weights, Dim: s.Dim, Means: s.Means}
	return m.WithDiagonals(s.Covariances)
}

// GlobalScale returns the standard deviation of all values of all observations together, with the number of values as
// the divisor, like numpy's X.std(). It is NaN if there are no observations.
func GlobalScale(s *gaussian.Statistics) float64 { return Marginals(s).GlobalScale() }

// MarginalsOf works like [Marginals] for statistics whose covariances are read one at a time.
func MarginalsOf(ctx context.Context, s *gaussian.Source) (*classcolumns.Marginals, error) {
	variances, err := s.Variances(ctx)
	if err != nil {
		return nil, err
	}
	return &classcolumns.Marginals{Classes: s.Classes, Counts: s.Counts, Weights: s.Weights, Dim: s.Dim, Means: s.Means,
		Variances: variances}, nil
}

// Discriminants returns the k leading directions of between-class variance relative to within-class variance, n×k with
// unit columns. k is limited to n and to one less than the number of classes. The ridge is added to the variances
// within the classes. It returns an error if the covariance within the classes is then not positive definite.
func Discriminants(s *gaussian.Statistics, k int, ridge float64) (*mat.Dense, error) {
	_, within, between, _ := s.Pooled(nil)
	return discriminants(within, between, min(k, s.NumClasses()-1), ridge)
}

// DiscriminantsOf works like [Discriminants] for statistics whose covariances are read one at a time.
func DiscriminantsOf(ctx context.Context, s *gaussian.Source, k int, ridge float64) (*mat.Dense, error) {
	_, within, between, _, err := s.Pooled(ctx)
	if err != nil {
		return nil, err
	}
	return discriminants(within, between, min(k, s.NumClasses()-1), ridge)
}

func discriminants(within, between *mat.SymDense, k int, ridge float64) (*mat.Dense, error) {
	n := within.SymmetricDim()
	x, k, err := ritz.Discriminants(within.RawSymmetric().Data, between.RawSymmetric().Data, n, k, ridge)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(n, k, x), nil
}

// LowerBounds writes certified lower bounds of the values of [gaussian.Statistics.DissimilarityMatrix] to dst, for a
// dissimilarity that is computed by a search and therefore gives upper bounds. For other dissimilarities, ok is false
// and dst does not change. It returns the errors of DissimilarityMatrix.
func LowerBounds(s *gaussian.Statistics, dst *mat.Dense, d gaussian.Dissimilarity) (ok bool, err error) {
	how, err := d.Measure()
	if err != nil || how.Below == "" {
		return false, err
	}
	var upper mat.Dense
	if err := s.DissimilarityMatrix(&upper, d); err != nil {
		return false, err
	}
	if err := s.DissimilarityMatrix(dst, how.Below); err != nil {
		return false, err
	}
	dst.Apply(func(i, j int, v float64) float64 { return min(v, upper.At(i, j)) }, dst) // rounding may exceed it
	return true, nil
}
