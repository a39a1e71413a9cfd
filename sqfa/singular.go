package sqfa

import (
	"errors"
	"math"

	"rao/gaussian"
	"rao/internal/linalg/small"
	"rao/internal/optim"
)

// singularBelow is a ratio of the smallest to the largest eigenvalue of the feature covariance of a class. Below it,
// rounding errors rather than the data determine the distances of the class.
const singularBelow = 1e-12

// checkFeatures returns a gaussian.SingularError for the first class with a feature covariance that is singular to
// working precision at the problem's current point. If the distance depends only on second moments, it checks these
// instead. Cholesky factors may still exist in this case, but the objective is large and meaningless.
func (q *problem) checkFeatures(d gaussian.Dissimilarity) error {
	how, err := d.Measure()
	if err != nil || how.Singular {
		return err
	}
	m := q.m
	var w small.Workspace
	values := make([]float64, m)
	for i := range q.c {
		cov, mu := q.mid, q.mu0[i*m:(i+1)*m]
		copy(cov, q.a[i*m*m:(i+1)*m*m])
		for r := range m {
			if how.Moments {
				for h, v := range mu {
					cov[r*m+h] += mu[r] * v
				}
			}
			cov[r*m+r] += q.noise
		}
		if err := w.EigenValues(values, cov, m, 1); err != nil {
			return &gaussian.SingularError{Class: i, Smallest: math.NaN(), Largest: math.NaN()}
		}
		if !(values[0] > singularBelow*values[m-1]) {
			return &gaussian.SingularError{Class: i, Smallest: values[0], Largest: values[m-1]}
		}
	}
	return nil
}

// diagnose returns the error of a run, or an error for the singular class that caused it. It also reports a singular
// class if the run succeeded.
func (q *problem) diagnose(err error, d gaussian.Dissimilarity) error {
	if err == nil || errors.Is(err, optim.ErrStart) {
		if singular := q.checkFeatures(d); singular != nil {
			return singular
		}
	}
	return err
}
