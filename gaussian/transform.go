package gaussian

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
)

// Affine returns the statistics of (x-shift)·scale, column by column. shift has length n, or is nil for no shift.
// scale has length n, or length 1 for all columns. Scaling columns differently loses the cubic and quartic moments. It
// panics with mat.ErrShape for other lengths.
func (s *Statistics) Affine(shift []float64, scale []float64) *Statistics {
	out := New(s.Classes, s.Dim)
	copy(out.Counts, s.Counts)
	out.Weights = slices.Clone(s.Weights)
	moments.Affine(s.NumClasses(), s.Dim, out.Means, out.Covariances, s.Means, s.Covariances, shift, scale)
	if len(scale) == 1 && s.Cubic != nil {
		out.Cubic, out.Quartic = slices.Clone(s.Cubic), slices.Clone(s.Quartic)
		moments.ScaleHigher(out.Cubic, out.Quartic, scale[0])
	}
	out.Columns, out.Single, out.own = s.Columns, s.Single, s.own
	return out
}

// AddNoise adds variance to the diagonal of every covariance, in place.
func (s *Statistics) AddNoise(variance float64) {
	n := s.Dim
	for i := range s.NumClasses() {
		for j, cov := 0, s.cov(i); j < n; j++ {
			cov[j*n+j] += variance
		}
	}
}

// Project returns the statistics of F'x for filters F, n×m, one per column:
//
//	μ → F'μ,  Φ → F'ΦF
//
// The cubic and quartic moments are lost. It panics with mat.ErrShape unless F has n rows and at least one column.
func (s *Statistics) Project(f *mat.Dense) *Statistics {
	c, n := s.NumClasses(), s.Dim
	raw := f.RawMatrix()
	filters, m, ld := raw.Data, raw.Cols, raw.Stride
	if m < 1 || raw.Rows != n {
		panic(mat.ErrShape)
	}
	out := New(s.Classes, m)
	copy(out.Counts, s.Counts)
	out.Weights, out.Single = slices.Clone(s.Weights), s.Single
	dense.Gemm(false, false, c, m, n, 1, s.Means, n, filters, ld, 0, out.Means, m)
	most := max(1, min(c, projectValues/(n*m)))
	t := make([]float64, most*n*m)
	for lo := 0; lo < c; lo += most {
		k := min(most, c-lo)
		if m <= skinny {
			dense.NewStack(k, n, s.Covariances[lo*n*n:(lo+k)*n*n]).Project(m, filters, ld, t, k*m)
		}
		for i := range k {
			cov := out.cov(lo + i)
			if m <= skinny {
				dense.Gemm(true, false, m, m, n, 1, filters, ld, t[i*m:], k*m, 0, cov, m)
			} else {
				multiplyCovariance(t[i*n*m:], s.cov(lo+i), n, filters, m, ld)
				dense.Gemm(true, false, m, m, n, 1, filters, ld, t[i*n*m:], m, 0, cov, m)
			}
			vec.Symmetrize(cov, m)
		}
	}
	return out
}

// projectValues is the approximate number of values of Φ F in memory at a time. Φ is read in place if there are at most
// skinny filters: with 784 columns, 26 to 48 filters then take half the time of a product that packs Φ.
const (
	projectValues = 1 << 22
	skinny        = 48
)
