package method

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/ritz"
)

// leftOut is the part of the variance of the data that principal components may leave out and still hold the columns,
// faint that of the largest variance below which a column may be left out in part, and rounded that below which the
// variance of a column is rounding: it is computed from the components.
const leftOut, faint, rounded = 1e-9, 1e-8, 1e-12

// holdsColumns reports whether principal components hold all of the columns that vary, so that these may be scaled.
func holdsColumns(b *gaussian.Basis, columns *gaussian.Marginals) bool {
	if n, d := b.Dims(); d == n {
		return true
	}
	for _, s := range columnSpreads(columns) {
		if s > 0 && s*s < faint*b.Variances[0] {
			return false
		}
	}
	return b.Variance-floats.Sum(b.Variances) <= leftOut*b.Variance
}

// scaledColumns returns the sub-classes of the data whose columns are multiplied by factors, in the principal
// components of that. With V the components, D the factors and D V = Q R, the coordinates are turned by U'R, where U
// are the principal axes of R z, and the new components are Q U. They must hold all columns.
func scaledColumns(s *gaussian.Subclasses, factors []float64) (*gaussian.Subclasses, error) {
	n, d := s.Basis.Dims()
	scaled := mat.DenseCopyOf(s.Basis.Components)
	center := slices.Clone(s.Basis.Center)
	for j, f := range factors {
		floats.Scale(f, scaled.RawRowView(j))
		center[j] *= f
	}
	var qr mat.QR
	var q, r mat.Dense
	qr.Factorize(scaled)
	qr.QTo(&q)
	qr.RTo(&r)
	turn := mat.DenseCopyOf(r.Slice(0, d, 0, d).T())
	_, _, _, total := s.ClassStatistics().Project(turn).Pooled(nil)
	u, variances, err := ritz.Leading(total.RawSymmetric().Data, d, d)
	if err != nil {
		return nil, err
	}
	axes := mat.NewDense(d, d, u)
	var components, turned mat.Dense
	components.Mul(q.Slice(0, n, 0, d), axes)
	turned.Mul(turn, axes)
	out := *s
	out.Components = s.Components.Project(&turned)
	out.Basis = &gaussian.Basis{Center: center, Components: &components, Variances: variances,
		Variance: floats.Sum(variances), Columns: s.Basis.Columns}
	if out.Basis.Scale = marginalsOf(&out).GlobalScale(); math.IsNaN(out.Basis.Scale) {
		out.Basis.Scale = 0
	}
	return &out, out.Basis.Validate()
}

// marginalsOf returns the marginals of the columns behind sub-classes, as far as their principal
// components hold them. Columns that vary by no more than rounding are constant.
func marginalsOf(s *gaussian.Subclasses) *gaussian.Marginals {
	inside, v := s.ClassStatistics(), s.Basis.Components
	n, d := s.Basis.Dims()
	c := inside.NumClasses()
	out := &gaussian.Marginals{Classes: inside.Classes, Counts: inside.Counts, Dim: n, Means: make([]float64, c*n),
		Variances: make([]float64, c*n)}
	for i := range c {
		copy(out.Mean(i), lifted(s.Basis, inside.Mean(i)))
		floats.Add(out.Mean(i), s.Basis.Center)
		var half mat.Dense
		half.Mul(v, inside.Covariance(i))
		for j, variance := 0, out.Variance(i); j < n; j++ {
			variance[j] = max(0, floats.Dot(half.RawRowView(j), v.RawRowView(j)[:d]))
		}
	}
	spread := make([]float64, n) // from the center, of the class where it is largest
	for i := range c {
		for j, variance := range out.Variance(i) {
			d := out.Mean(i)[j] - s.Basis.Center[j]
			spread[j] = max(spread[j], variance+d*d)
		}
	}
	for j, least := 0, rounded*slices.Max(spread); j < n; j++ {
		for i := 0; i < c && spread[j] < least; i++ {
			out.Mean(i)[j], out.Variance(i)[j] = s.Basis.Center[j], 0
		}
	}
	return out
}
