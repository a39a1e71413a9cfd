package linearfilters

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/spd"
)

// TransformBlock is the number of input values that the Transform methods of learners process at a time.
const TransformBlock = 1 << 20

// Columns returns the columns [lo,hi) of x, which has m columns.
func Columns(x []float64, m, lo, hi int) []float64 {
	out := make([]float64, 0, len(x)/m*(hi-lo))
	for i := 0; i < len(x); i += m {
		out = append(out, x[i+lo:i+hi]...)
	}
	return out
}

// CheckFilters returns an error unless 1 <= m <= limit. what describes the limit in the error.
func CheckFilters(m, limit int, what string) error {
	if m < 1 || m > limit {
		return faults.Option("the number of filters is %d; it must be between 1 and %s",
			m, fmt.Sprintf("%d, %s", limit, what))
	}
	return nil
}

// CheckStatistics returns an error unless s is valid and has at least the given number of classes and at least m
// dimensions.
func CheckStatistics(s *gaussian.Statistics, classes, m int) error {
	if err := classstats.Validate(s, classes); err != nil {
		return err
	}
	return CheckFilters(m, s.Dim, "the number of dimensions")
}

// TotalCovariance returns, ignoring classes, the mean of all observations, their covariance with divisor N-1, and N.
func TotalCovariance(s *gaussian.Statistics) (mean, cov []float64, total float64) {
	n := s.Dim
	total = classstats.TotalWeight(s)
	mean, cov = make([]float64, n), make([]float64, n*n)
	for i := range s.Counts {
		k := classstats.Weight(s, i)
		for j, v := range s.Mean(i) {
			mean[j] += k / total * v
		}
	}
	par.For(n, max(1, 1<<14/n), func(_, lo, hi int) {
		for i := range s.Counts {
			k := classstats.Weight(s, i)
			inside, across := classstats.Freedom(s, i)/(total-1), k/(total-1)
			own, g := s.Covariance(i).RawSymmetric().Data, s.Mean(i)
			for a := lo; a < hi; a++ {
				d := across * (g[a] - mean[a])
				row := cov[a*n : (a+1)*n]
				for b, v := range own[a*n : (a+1)*n] {
					row[b] += inside*v + d*(g[b]-mean[b])
				}
			}
		}
	})
	return mean, cov, total
}

// FromFactor returns the m leading eigenpairs of H'H. h is H, c×r; if c < r, they are computed from the c×c matrix HH',
// and vectors with eigenvalue zero are arbitrary.
func FromFactor(h []float64, c, r, m int) (values, vectors []float64, err error) {
	if c >= r {
		gram := make([]float64, r*r)
		dense.Syrk(r, c, 1, h, r, 0, gram, r)
		return Leading(gram, r, m)
	}
	small := make([]float64, c*c)
	dense.Gemm(false, true, c, c, r, 1, h, r, h, r, 0, small, c)
	top, values, err := ritz.Direct(small, c, m)
	if err != nil {
		return nil, nil, err
	}
	for j := range values {
		values[j] = max(values[j], 0)
	}
	vectors = make([]float64, r*m)
	dense.Gemm(true, false, r, m, c, 1, h, r, top, m, 0, vectors, m)
	vec.NormalizeColumns(vectors, m)
	return values, vectors, nil
}

// DistinctFilters returns the filters with values above rounding error, with their signs fixed. It returns an error if
// no filter has a value above rounding error.
func DistinctFilters(all *mat.Dense, values []float64) (*mat.Dense, []float64, error) {
	n, m := all.Dims()
	for m > 0 && !(values[m-1] > 1e-14*values[0]) {
		m--
	}
	if m == 0 {
		return nil, nil, faults.Data("the means of the classes are equal, so no direction separates them; check the " +
			"labels")
	}
	filters := mat.DenseCopyOf(all.Slice(0, n, 0, m))
	ritz.FixSigns(filters.RawMatrix().Data, n, m)
	return filters, values[:m], nil
}

// FixSigns flips signs so that the largest component of each filter is positive. Loadings flip together with their
// filter; they may be nil.
func FixSigns(filters, loadings *mat.Dense) {
	n, k := filters.Dims()
	turned := ritz.FixSigns(filters.RawMatrix().Data, n, k)
	for j, yes := range turned {
		for i := 0; yes && loadings != nil && i < n; i++ {
			loadings.Set(i, j, -loadings.At(i, j))
		}
	}
}

// ReducedOrder is the default order of smaller SPD matrices for matrices of order n: two thirds, rounded up.
func ReducedOrder(n int) int { return (2*n + 2) / 3 }

// Map writes W'XW to dst for every matrix X of x, for fitted filters W. It returns an error if a matrix is not
// symmetric, not finite, or has the wrong order.
func Map(dst, x *spd.Stack, w *mat.Dense) error {
	if err := x.Validate(); err != nil {
		return err
	}
	if n, _ := w.Dims(); x.Dim != n {
		return fmt.Errorf("the matrices have order %d, but the filters were fitted to matrices of order %d; give the "+
			"same channels", x.Dim, n)
	}
	if x.Count > 0 {
		if err := x.Verify(); err != nil {
			return err
		}
	}
	spd.Congruence(dst, x, w)
	return nil
}
