package method

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/classcolumns"
	"rao/internal/linalg/ritz"
	"rao/internal/subclasses"
)

// leftOut is the fraction of the variance that principal components may omit and still determine all columns. A
// column with less than faint times the variance of the first component may be partly omitted. The variance of a
// column below rounded times the largest is rounding error.
const leftOut, faint, rounded = 1e-9, 1e-8, 1e-12

// holdsColumns reports whether the principal components determine all varying columns. Each column can then be
// scaled.
func holdsColumns(b *subclasses.Basis, columns *classcolumns.Marginals) bool {
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

// scaledColumns returns the statistics of sub-classes after multiplying the columns of the data by factors, in the
// principal components of the scaled data. With V the components, D the factors and D V = Q R, the coordinates z
// become U'R z, where U are the principal axes of R z, and the new components are Q U. The components must determine
// all columns.
func scaledColumns(s *subclasses.Statistics, factors []float64) (*subclasses.Statistics, error) {
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
	out.Basis = &subclasses.Basis{Center: center, Components: &components, Variances: variances,
		Variance: floats.Sum(variances), Columns: s.Basis.Columns}
	if out.Basis.Scale = marginalsOf(&out).GlobalScale(); math.IsNaN(out.Basis.Scale) {
		out.Basis.Scale = 0
	}
	return &out, out.Basis.Validate()
}

// marginalsOf returns the marginals of the data columns that sub-classes were computed from. Variance outside the
// span of the principal components is missing. Columns that vary by no more than rounding error are constant.
func marginalsOf(s *subclasses.Statistics) *classcolumns.Marginals {
	inside, v := s.ClassStatistics(), s.Basis.Components
	n, d := s.Basis.Dims()
	c := inside.NumClasses()
	out := &classcolumns.Marginals{Classes: inside.Classes, Counts: inside.Counts, Dim: n, Means: make([]float64, c*n),
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
	spread := make([]float64, n) // mean squared distance from the center, maximum over the classes
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
