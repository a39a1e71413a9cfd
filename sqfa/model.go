package sqfa

import (
	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/internal/linalg/orth"
)

// Model is a set of learned filters: the linear filters of package feature, with the noise, the objective and the
// dissimilarities of the class pairs. The filters have unit norm unless the constraint was none, and the entry of
// largest magnitude of each is positive. Report.Objective is the maximized objective; Report.History has the objective
// after each iteration of the best fit.
type Model = feature.Model

// values returns the values of a matrix, row-major without gaps.
func values(m *mat.Dense) []float64 {
	raw := m.RawMatrix()
	if raw.Stride == raw.Cols {
		return raw.Data[:raw.Rows*raw.Cols]
	}
	out := make([]float64, 0, raw.Rows*raw.Cols)
	for i := range raw.Rows {
		out = append(out, m.RawRowView(i)...)
	}
	return out
}

// joinColumns returns [A B] for A n×p and B n×k.
func joinColumns(a []float64, p int, b []float64, k, n int) []float64 {
	out := make([]float64, n*(p+k))
	for r := range n {
		copy(out[r*(p+k):], a[r*p:(r+1)*p])
		copy(out[r*(p+k)+p:], b[r*k:(r+1)*k])
	}
	return out
}

// distinct is the fraction of the largest singular value of the filters above which a dimension of their span counts.
// An optimum at which filters coincide is reached only to about 1e-5.
const distinct = 1e-3

// orthonormal returns an orthonormal basis of the span of filters, the columns of f, without dimensions whose singular
// value is below this fraction of the largest one. It returns the filters if they have no finite span.
func orthonormal(f *mat.Dense, fraction float64) *mat.Dense {
	_, filters := f.Dims()
	basis, _ := orth.Range(f, filters, fraction)
	if basis == nil {
		return f
	}
	return basis
}

// span returns the number of dimensions that unit filters, the columns of f, span.
func span(f *mat.Dense) int {
	var svd mat.SVD
	if !svd.Factorize(f, mat.SVDNone) {
		return 0
	}
	return svd.Rank(distinct)
}
