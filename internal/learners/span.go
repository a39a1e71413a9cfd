package learners

import (
	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/internal/faults"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
)

// Span is an orthonormal basis of the space spanned by a few rows with many columns. A rotation-invariant method gives
// the same features in the coordinates of this basis, because the part of a filter outside the span does not change the
// features. The basis of N rows with n columns has N·n values; the covariance of the rows would have n².
type Span struct {
	Basis       *mat.Dense // n×r, orthonormal columns
	Coordinates *mat.Dense // N×r: the rows are Coordinates·Basis'
}

// Directions are left out if their eigenvalue is at most spanTolerance times the largest one.
const spanTolerance = 1e-13

// spanBlock is the number of columns of the basis that are computed at a time.
const spanBlock = 1024

// SpanOf returns the span of the rows of x. The basis is computed from the eigenvectors of the N×N inner products of
// the rows, and then orthonormalized again. It returns an error if all values are zero. The cost is about 9N²n
// operations and an eigendecomposition of order N.
func SpanOf(x *mat.Dense) (*Span, error) {
	raw := x.RawMatrix()
	count, n := raw.Rows, raw.Cols
	gram := make([]float64, count*count)
	dense.Gemm(false, true, count, count, n, 1, raw.Data, raw.Stride, raw.Data, raw.Stride, 0, gram, count)
	values, v, err := linearfilters.FullEigen(gram, count)
	if err != nil {
		return nil, err
	}
	first := 0
	for first < count && !(values[first] > spanTolerance*values[count-1]) {
		first++
	}
	r := count - first
	if r == 0 {
		return nil, faults.Data("all values are zero, so there is nothing to learn; check which columns or which " +
			"variable was read")
	}
	basis := make([]float64, n*r)
	dense.Gemm(true, false, n, r, count, 1, raw.Data, raw.Stride, v[first:], count, 0, basis, r)
	vec.NormalizeColumns(basis, r)
	if err := orthonormalAgain(n, r, basis); err != nil {
		return nil, err
	}
	s := &Span{Basis: mat.NewDense(n, r, basis), Coordinates: mat.NewDense(count, r, nil)}
	dense.Gemm(false, false, count, r, n, 1, raw.Data, raw.Stride, basis, r, 0, s.Coordinates.RawMatrix().Data, r)
	return s, nil
}

// orthonormalAgain makes nearly orthonormal columns Q orthonormal to working precision: Q L'⁻¹ with Q'Q = L L'.
func orthonormalAgain(n, r int, q []float64) error {
	l, li := make([]float64, r*r), make([]float64, r*r)
	dense.Syrk(r, n, 1, q, r, 0, l, r)
	if _, _, ok := tri.Cholesky(r, l, 1e-10); !ok {
		return faults.Data("the rows are too different in scale to find their span; rescale the columns")
	}
	tri.InvertLower(r, li, l)
	block := make([]float64, min(n, spanBlock)*r)
	for lo := 0; lo < n; lo += spanBlock {
		k := min(spanBlock, n-lo)
		dense.Gemm(false, true, k, r, r, 1, q[lo*r:], r, li, r, 0, block, r)
		copy(q[lo*r:(lo+k)*r], block)
	}
	return nil
}

// Dims returns the number of columns of the rows and the dimension of their span.
func (s *Span) Dims() (n, r int) { return s.Basis.Dims() }

// Inside converts filters of the rows, n×m, to filters of the coordinates. It drops the part of each filter outside the
// span.
func (s *Span) Inside(f *mat.Dense) *mat.Dense {
	out := new(mat.Dense)
	out.Mul(s.Basis.T(), f)
	return out
}

// Lift converts a model of the coordinates to a model of the rows with the same features.
func (s *Span) Lift(m *feature.Model) *feature.Model {
	out := *m
	n, r := s.Dims()
	_, k := m.Filters.Dims()
	up := func(a *mat.Dense) *mat.Dense {
		if a == nil {
			return nil
		}
		b := mat.NewDense(n, k, nil)
		b.Mul(s.Basis, a)
		return b
	}
	out.Filters, out.Loadings = up(m.Filters), up(m.Loadings)
	if m.Center != nil {
		out.Center = make([]float64, n)
		dense.Gemm(false, false, n, 1, r, 1, s.Basis.RawMatrix().Data, r, m.Center, 1, 0, out.Center, 1)
	}
	linearfilters.FixSigns(out.Filters, out.Loadings)
	return &out
}
