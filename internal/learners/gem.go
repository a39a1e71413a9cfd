package learners

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/orth"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/naming"
	"rao/internal/optionvalues"
)

// GEMOptions are the options of [FitGEM]. Filters is required.
type GEMOptions struct {
	Filters int // number of filters, 1 to the number of dimensions; required
	// The ridge, a fraction of the mean diagonal element, excludes directions with very little energy.
	Ridge    float64 `opt:"ridge" default:"0.05" above:"0" help:"ridge added to the second moments in the denominator, as a share of their mean"`
	Progress rao.Progress
}

// FitGEM learns discriminative features from generalized eigenvectors of pairs of classes (Karampatziakis and Mineiro
// 2014). For every ordered pair of classes it solves
//
//	C_i v = λ (C_j + γ tr(C_j)/n I) v
//
// with C_i the second moment of class i about the mean of all rows. A large λ means that direction v has much more
// energy in class i than in class j. The filters are the eigenvectors with the largest eigenvalues over all pairs, with
// every class j equally often. A vector that is nearly in the span of the filters chosen so far (squared cosine above
// 0.9) is skipped. Filters have unit norm; Values are the eigenvalues.
//
// If the pairs have fewer distinct directions than requested, it returns fewer filters. FitGEM returns an error for
// fewer than two classes or options out of range. The cost is 4 c² n³ operations. If ctx is canceled, it returns the
// error of ctx.
func FitGEM(ctx context.Context, s *gaussian.Statistics, opt GEMOptions) (*feature.Model, error) {
	start := time.Now()
	m := opt.Filters
	if err := linearfilters.CheckStatistics(s, 2, m); err != nil {
		return nil, err
	}
	optionvalues.Fill(&opt)
	if !(opt.Ridge > 0 && opt.Ridge < 1e6) {
		return nil, faults.Option("the ridge is %g; it must be above 0 and below 1e6", opt.Ridge)
	}
	n := s.Dim
	mean, _, _ := linearfilters.TotalCovariance(s)
	candidates, err := pairVectors(ctx, s.Affine(mean, []float64{1}), opt)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(candidates, func(a, b pairVector) int { return cmp.Compare(b.value, a.value) })
	f, values := make([]float64, n*m), []float64(nil)
	basis, used := make([]float64, 0, n*m), make([]int, s.NumClasses())
	for round := 1; round <= m && len(values) < m; round++ {
		for _, c := range candidates {
			if len(values) == m || used[c.below] >= round {
				continue
			}
			rest := append([]float64(nil), c.vector...)
			orth.Subtract(rest, basis)
			if vec.Dot(rest, rest) < 0.1 {
				continue
			}
			vec.NormalizeColumns(rest, 1)
			basis = append(basis, rest...)
			used[c.below]++
			for i, v := range c.vector {
				f[i*m+len(values)] = v
			}
			values = append(values, c.value)
		}
	}
	if len(values) == 0 {
		return nil, faults.Data("the pairs of classes do not differ in any direction; check the labels")
	}
	filters := mat.DenseCopyOf(mat.NewDense(n, m, f).Slice(0, n, 0, len(values)))
	ritz.FixSigns(filters.RawMatrix().Data, n, len(values))
	return closed("gem", filters, mean, values, start), nil
}

// closed returns the model of a learner without iterations. Its objective is the sum of the values of the filters.
func closed(method string, filters *mat.Dense, mean, values []float64, start time.Time) *feature.Model {
	sum := vec.Total(values)
	return &feature.Model{Method: method, Filters: filters, Center: mean, Values: values,
		Report: rao.Report{Status: rao.StatusClosed, Passes: 1, Objective: sum, Elapsed: time.Since(start)}}
}

// pairVector is a generalized eigenvector of unit norm.
type pairVector struct {
	value  float64
	below  int // class in the denominator
	vector []float64
}

// pairVectors returns the leading eigenvectors of all ordered pairs of classes. Each pair has two more than its share
// of the filters, or n if that is smaller.
func pairVectors(ctx context.Context, s *gaussian.Statistics, opt GEMOptions) ([]pairVector, error) {
	c, n, m := s.NumClasses(), s.Dim, opt.Filters
	each := min(n, 2+(m+c*(c-1)-1)/(c*(c-1)))
	moments := make([]float64, c*n*n)
	for i := range c {
		copy(moments[i*n*n:], classstats.SecondMoment(s, i).RawSymmetric().Data)
	}
	l, li, half, a := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	var out []pairVector
	for j := range c {
		copy(l, moments[j*n*n:(j+1)*n*n])
		trace := vec.Trace(l, n)
		for i := range n {
			l[i*n+i] += opt.Ridge * trace / float64(n)
		}
		if _, _, ok := tri.Cholesky(n, l, 0); !ok {
			if !(trace > 0) || math.IsInf(trace, 1) {
				return nil, faults.Data("the second moment of class %s is zero or not finite; leave the class out",
					naming.Class(s.Classes, j))
			}
			return nil, faults.Data("the second moment of class %s is not positive definite with the ridge %g; use a "+
				"larger ridge, or leave the class out", naming.Class(s.Classes, j), opt.Ridge)
		}
		tri.InvertLower(n, li, l)
		for i := range c {
			if i == j {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			dense.Gemm(false, false, n, n, n, 1, li, n, moments[i*n*n:], n, 0, half, n)
			dense.Gemm(false, true, n, n, n, 1, half, n, li, n, 0, a, n)
			values, u, err := linearfilters.Leading(a, n, each)
			if err != nil {
				return nil, err
			}
			v := make([]float64, n*each)
			dense.Gemm(true, false, n, each, n, 1, li, n, u, each, 0, v, each)
			vec.NormalizeColumns(v, each)
			for k, value := range values {
				column := make([]float64, n)
				for d := range n {
					column[d] = v[d*each+k]
				}
				out = append(out, pairVector{value, j, column})
			}
			opt.Progress.Send(rao.Event{Stage: "fit", Done: len(out) / each, Total: c * (c - 1)})
		}
	}
	return out, nil
}
