package subclasses

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/rows"
)

// Basis contains leading principal components. [Statistics] describe data in the coordinates of a basis. Sites that
// want to merge their sub-classes must first agree on one basis.
type Basis struct {
	Center     []float64  // length n: the mean
	Components *mat.Dense // n×d, orthonormal columns, descending variance
	Variances  []float64  // length d: the variance along each component
	Scale      float64    // standard deviation of all values together; see [classstats.GlobalScale]
	Variance   float64    // sum of the variances of all n columns
	Columns    []string   // names of the n columns; nil if unknown
}

// emptyVariance is the fraction of the largest variance below which a component is left out, because the data do not
// vary along it.
const emptyVariance = 1e-10

// BasisOf returns the d leading principal components of all classes together, or fewer if the data vary in fewer
// directions. It returns an error if d is below 1.
func BasisOf(s *gaussian.Statistics, d int) (*Basis, error) {
	if d < 1 {
		return nil, fmt.Errorf("a basis of %d components was requested; it needs 1 or more", d)
	}
	n := s.Dim
	d = min(d, n)
	mean, _, _, covariance := s.Pooled(nil)
	total := covariance.RawSymmetric().Data
	b := &Basis{Center: mean, Scale: classstats.GlobalScale(s), Columns: slices.Clone(s.Columns)}
	for j := range n {
		b.Variance += total[j*n+j]
	}
	v, variances, err := ritz.Leading(total, n, d)
	if err != nil {
		return nil, fmt.Errorf("principal components: %w", err)
	}
	k := 1
	for k < d && variances[k] > emptyVariance*variances[0] {
		k++
	}
	b.Components, b.Variances = mat.DenseCopyOf(mat.NewDense(n, d, v).Slice(0, n, 0, k)), variances[:k]
	return b, b.Validate()
}

// Dims returns the numbers of columns and of components.
func (b *Basis) Dims() (n, d int) { return b.Components.Dims() }

// equal reports whether two bases are identical bit for bit.
func (b *Basis) equal(o *Basis) bool {
	return slices.Equal(b.Center, o.Center) && mat.Equal(b.Components, o.Components) &&
		slices.Equal(b.Variances, o.Variances) && slices.Equal(b.Columns, o.Columns) &&
		b.Scale == o.Scale && b.Variance == o.Variance
}

// Lift converts filters F of the coordinates, d×m, to filters V F of the columns, n×m, where V are the components. Both
// give the same features up to a constant.
func (b *Basis) Lift(f *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Mul(b.Components, f)
	return &out
}

// project writes the coordinates V'(x - center) of rows lo to hi-1 to dst, d values per row. buf has room for the same
// number of rows with n values.
func (b *Basis) project(dst, buf []float64, in *rows.Reader, lo, hi int) {
	n, d := b.Dims()
	in.Block(buf, lo, hi, b.Center)
	v := b.Components.RawMatrix()
	dense.Gemm(false, false, hi-lo, d, n, 1, buf, n, v.Data, v.Stride, 0, dst, d)
}

// orthonormalTol is the largest deviation from orthonormality that products of components may have.
const orthonormalTol = 1e-6

// Validate returns an error if the fields contradict each other or are out of range.
func (b *Basis) Validate() error {
	if b.Components == nil || b.Components.IsEmpty() {
		return fmt.Errorf("the basis has no components; compute it again")
	}
	n, d := b.Dims()
	switch {
	case b.Columns != nil && len(b.Columns) != n:
		return fmt.Errorf("the basis has %d names for %d columns; every column needs one name", len(b.Columns), n)
	case len(b.Center) != n:
		return fmt.Errorf("the length of the center of the basis is %d, but the number of columns is %d; every column "+
			"needs one value",
			len(b.Center), n)
	case d > n || len(b.Variances) != d:
		return fmt.Errorf("the basis has %d components of %d columns, with %d variances; every component needs one "+
			"variance, and there can be at most as many components as columns", d, n, len(b.Variances))
	case !(b.Scale >= 0 && b.Variance >= 0) || math.IsInf(b.Scale+b.Variance, 1):
		return fmt.Errorf("the scale of the basis is %g and its variance %g; both must be finite and 0 or more",
			b.Scale, b.Variance)
	}
	if err := naming.CheckColumns(b.Columns); err != nil {
		return err
	}
	v := b.Components.RawMatrix()
	for _, x := range [][]float64{b.Center, b.Variances, v.Data} {
		if i := vec.NotFinite(x); i >= 0 {
			return fmt.Errorf("the center, a variance or a component of the basis contains %g; all values must be "+
				"finite",
				x[i])
		}
	}
	g := make([]float64, d*d)
	dense.Gemm(true, false, d, d, n, 1, v.Data, v.Stride, v.Data, v.Stride, 0, g, d)
	for i := range d {
		g[i*d+i]--
		for j := range d {
			if !(math.Abs(g[i*d+j]) <= orthonormalTol) {
				return fmt.Errorf("components %d and %d of the basis are not orthonormal; compute the basis again",
					i, j)
			}
		}
	}
	return nil
}
