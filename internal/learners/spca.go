package learners

import (
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/linalg/dense"
	"rao/internal/linearfilters"
)

// SPCAOptions are the options of [FitSPCA].
type SPCAOptions struct {
	// Filters is the number of filters, from 1 to the number of dimensions. It is required. If Blend is zero, the
	// number of filters is limited to the number of classes minus one.
	Filters int
	// Before they are blended, both matrices are scaled to trace one.
	Blend float64 `opt:"blend" default:"0" min:"0" max:"1" help:"weight of the plain covariance: 0 uses only the labels, 1 gives principal components"`
}

// FitSPCA fits supervised principal component analysis (Barshan, Ghodsi, Azimifar and Jahromi 2011) with the delta
// kernel on the labels. It learns the orthonormal filters that maximize the Hilbert-Schmidt independence criterion
// between features and labels,
//
//	tr(F'QF),  Q = X'HLHX / (N-1)² = Σ_i N_i² (μ_i - μ)(μ_i - μ)' / (N-1)²
//
// Only class statistics are needed. Values are the criterion along each filter.
//
// If labels and data depend on each other in fewer directions than requested, it returns fewer filters. FitSPCA returns
// an error for fewer than two classes, a number of filters out of range, or equal class means.
func FitSPCA(s *gaussian.Statistics, opt SPCAOptions) (*feature.Model, error) {
	start := time.Now()
	m := opt.Filters
	if opt.Blend == 0 {
		m = min(m, s.Dim, s.NumClasses()-1)
	}
	if err := linearfilters.CheckStatistics(s, 2, m); err != nil {
		return nil, err
	}
	if !(opt.Blend >= 0 && opt.Blend <= 1) {
		return nil, faults.Option("the blend is %g; it must be between 0 and 1", opt.Blend)
	}
	c, n := s.NumClasses(), s.Dim
	mean, cov, total := linearfilters.TotalCovariance(s)
	h := make([]float64, c*n)
	trace := 0.0
	for i := range c {
		k := classstats.Weight(s, i)
		for j, v := range s.Mean(i) {
			h[i*n+j] = k / (total - 1) * (v - mean[j])
			trace += h[i*n+j] * h[i*n+j]
		}
	}
	var values, f []float64
	var err error
	if opt.Blend == 0 {
		values, f, err = linearfilters.FromFactor(h, c, n, m)
	} else {
		q, spread := make([]float64, n*n), 0.0
		dense.Syrk(n, c, 1, h, n, 0, q, n)
		for i := range n {
			spread += cov[i*n+i]
		}
		for i, v := range cov {
			q[i] = (1-opt.Blend)*q[i]/math.Max(trace, math.SmallestNonzeroFloat64) + opt.Blend*v/spread
		}
		values, f, err = linearfilters.Leading(q, n, m)
	}
	if err != nil {
		return nil, err
	}
	filters, values, err := linearfilters.DistinctFilters(mat.NewDense(n, m, f), values)
	if err != nil {
		return nil, err
	}
	return closed("spca", filters, mean, values, start), nil
}
