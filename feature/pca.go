package feature

import (
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/linearfilters"
)

// PCAOptions are the options of [FitPCA].
type PCAOptions struct {
	Filters int // number of filters, 1 to the number of dimensions; required
}

// FitPCA finds, from class statistics, the orthonormal directions of largest variance:
//
//	Σ F = F diag(values),  Σ = 1/(N-1) Σ_k (x_k - μ)(x_k - μ)'
//
// It ignores the classes, and one class is enough. Values are the variances in descending order. The entry of largest
// magnitude of each filter is positive. For m filters in n dimensions with 4(m + max(m, 10)) ≤ n, FitPCA uses a block
// Krylov iteration (2n²(m+4) operations per block) instead of a full eigendecomposition.
//
// It returns an error if the statistics are invalid or the number of filters is out of range.
func FitPCA(s *gaussian.Statistics, opt PCAOptions) (*Model, error) {
	start := time.Now()
	m := opt.Filters
	if err := linearfilters.CheckStatistics(s, 1, m); err != nil {
		return nil, err
	}
	mean, cov, _ := linearfilters.TotalCovariance(s)
	values, f, err := linearfilters.Leading(cov, s.Dim, m)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	sum := 0.0
	for i, v := range values {
		values[i] = max(v, 0)
		sum += values[i]
	}
	return &Model{Method: "pca", Filters: mat.NewDense(s.Dim, m, f), Center: mean, Values: values,
		Report: rao.Report{Status: rao.StatusClosed, Passes: 1, Objective: sum, Elapsed: time.Since(start)}}, nil
}
