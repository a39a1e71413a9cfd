package feature

import (
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/moments"
)

// LDAOptions are the options of [FitLDA].
type LDAOptions struct {
	// Filters is the number of filters, at least 1; required. A fit for n dimensions and c classes returns at most
	// min(n, c−1) filters.
	Filters int
	// Shrinkage shrinks each class covariance towards a multiple of the identity before pooling. Default none.
	Shrinkage gaussian.ShrinkRule
}

// FitLDA finds, from class statistics, the directions that best separate the class means, in units of the spread within
// the classes (Fisher 1936; Rao 1948):
//
//	B F = W F diag(values),  F'WF = I
//	W = Σ_i (N_i - 1) Φ_i / (N - c),  B = Σ_i N_i (μ_i - μ)(μ_i - μ)' / (c - 1)
//
// Values are in descending order; they are the F ratios of an analysis of variance of the features. Constant columns,
// such as the dark borders of images, and directions without variance within the classes are ignored, as in
// scikit-learn's default solver.
//
// If the class means differ in fewer directions than requested, FitLDA returns fewer filters. It returns an error if
// the statistics are invalid, if there are fewer than two classes, if the number of filters is below one, if no
// direction has variance within the classes, or if all class means are equal, and the errors of
// [gaussian.Statistics.Shrink]. The cost is about n³ operations, or a full eigendecomposition if W is singular.
func FitLDA(s *gaussian.Statistics, opt LDAOptions) (*Model, error) {
	start := time.Now()
	m := min(opt.Filters, s.Dim, s.NumClasses()-1)
	if err := linearfilters.CheckStatistics(s, 2, m); err != nil {
		return nil, err
	}
	c, n := s.NumClasses(), s.Dim
	shrunk, _, err := s.Shrink(opt.Shrinkage)
	if err != nil {
		return nil, err
	}
	mean, d := moments.Centered(s.Means, s.Priors(), n)
	t, r, err := linearfilters.Whitener(classstats.Pooled(shrunk), n)
	if err != nil {
		return nil, err
	}
	if m = min(m, r); m == 0 {
		return nil, faults.Data("the rows of every class are identical; give rows that differ")
	}
	// The whitened between-class scatter is H'H with H of c×r.
	h := make([]float64, c*r)
	for i := range c {
		floats.Scale(math.Sqrt(classstats.Weight(s, i)/float64(c-1)), d[i*n:(i+1)*n])
	}
	dense.Gemm(false, false, c, r, n, 1, d, n, t, r, 0, h, r)
	values, u, err := linearfilters.FromFactor(h, c, r, m)
	if err != nil {
		return nil, err
	}
	f := make([]float64, n*m)
	dense.Gemm(false, false, n, m, r, 1, t, r, u, m, 0, f, m)
	filters, values, err := linearfilters.DistinctFilters(mat.NewDense(n, m, f), values)
	if err != nil {
		return nil, err
	}
	sum := vec.Total(values)
	return &Model{Method: "lda", Filters: filters, Center: mean, Values: values,
		Report: rao.Report{Status: rao.StatusClosed, Passes: 1, Objective: sum, Elapsed: time.Since(start)}}, nil
}
