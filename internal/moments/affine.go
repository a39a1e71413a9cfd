package moments

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Affine writes the means and covariances of (x-shift)·scale for c classes in n dimensions, which may overwrite the
// means and covariances of x. shift may be nil, and scale may have one value for all columns. It panics with
// mat.ErrShape for other lengths.
func Affine(c, n int, toMeans, toCovs, means, covs, shift, scale []float64) {
	by := Factor(n, shift, scale)
	par.For(c, 1, func(_, lo, hi int) {
		factors := make([]float64, n) // of the columns of a row
		for i := lo; i < hi; i++ {
			for j, x := range means[i*n : (i+1)*n] {
				if shift != nil {
					x -= shift[j]
				}
				toMeans[i*n+j] = x * by(j)
			}
			for r := range n {
				if r == 0 || len(scale) > 1 {
					for j := range factors {
						factors[j] = by(r) * by(j)
					}
				}
				row := toCovs[(i*n+r)*n : (i*n+r+1)*n]
				copy(row, covs[(i*n+r)*n:])
				vec.Times(row, factors)
			}
		}
	})
}

// Factor returns the factor of each of n columns in (x-shift)·scale. It panics with mat.ErrShape for lengths that
// [Affine] does not accept.
func Factor(n int, shift, scale []float64) func(column int) float64 {
	if shift != nil && len(shift) != n || len(scale) != n && len(scale) != 1 {
		panic(mat.ErrShape)
	}
	return func(j int) float64 { return scale[min(j, len(scale)-1)] }
}

// ScaleHigher changes the cubic and quartic moments to the moments of the data times a.
func ScaleHigher(cubic, quartic []float64, a float64) {
	for i, x := range cubic {
		cubic[i] = a * a * a * x
	}
	for i, x := range quartic {
		quartic[i] = a * a * a * a * x
	}
}
