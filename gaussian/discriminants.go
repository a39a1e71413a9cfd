package gaussian

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/ritz"
)

// Discriminants returns the k leading directions of between-class variance relative to within-class variance, n×k with
// unit columns. k is limited to n and to one less than the number of classes. The ridge is added to the variances
// within the classes. It returns an error if the covariance within the classes is then not positive definite.
func (s *Statistics) Discriminants(k int, ridge float64) (*mat.Dense, error) {
	_, within, between, _ := s.pooled(nil)
	x, k, err := ritz.Discriminants(within, between, s.Dim, min(k, s.NumClasses()-1), ridge)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(s.Dim, k, x), nil
}
