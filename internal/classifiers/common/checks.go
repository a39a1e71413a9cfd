package common

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/densities"
	"rao/internal/indices"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// PivotTolerance is [densities.PivotTolerance].
const PivotTolerance = densities.PivotTolerance

// Singular returns the error for a symmetric n×n matrix that is not positive definite, with its extreme eigenvalues.
func Singular(a []float64, n int) *gaussian.SingularError {
	values := make([]float64, n)
	if eig.Sym(values, slices.Clone(a), n, false, make([]float64, eig.WorkLen(n))) != nil {
		return &gaussian.SingularError{Smallest: math.NaN(), Largest: math.NaN(), Dim: n}
	}
	return &gaussian.SingularError{Smallest: values[0], Largest: values[n-1], Dim: n}
}

// CheckMatrix returns an error unless m is rows×cols and finite.
func CheckMatrix(what string, m *mat.Dense, rows, cols int) error {
	if m == nil {
		return fmt.Errorf("%s: the array is missing", what)
	}
	if r, c := m.Dims(); r != rows || c != cols {
		return fmt.Errorf("%s: the array is %d×%d, but must be %d×%d", what, r, c, rows, cols)
	}
	for i := range rows {
		if j := vec.NotFinite(m.RawRowView(i)); j >= 0 {
			return fmt.Errorf("%s: the value in row %d, column %d is %g; it must be finite", what, i, j, m.At(i, j))
		}
	}
	return nil
}

// CheckVectors works like CheckMatrix for rows of data, such as means, prototypes and stored rows. It also returns an
// error if the square of a value overflows, because no rows can be compared with such a value.
func CheckVectors(what string, m *mat.Dense, rows, cols int) error {
	if err := CheckMatrix(what, m, rows, cols); err != nil {
		return err
	}
	for i := range rows {
		row := m.RawRowView(i)
		if vec.Finite(vec.Dot(row, row)) {
			continue
		}
		for j, v := range row {
			if !vec.Finite(v * v) {
				return fmt.Errorf("%s: the value in row %d, column %d is %g, so large that its square overflows; "+
					"rescale the data and fit again", what, i, j, v)
			}
		}
	}
	return nil
}

// CheckFinite returns an error unless v has n finite values, one per unit, such as a class.
func CheckFinite(what string, v []float64, n int, unit, units string) error {
	if len(v) != n {
		return fmt.Errorf("the number of %s is %d, but the number of %s is %d; every %s needs one", what, len(v),
			units, n, unit)
	}
	if i := vec.NotFinite(v); i >= 0 {
		return fmt.Errorf("%s: the value of %s %d is %g; it must be finite", what, unit, i, v[i])
	}
	return nil
}

// CheckProbabilities returns an error unless p consists of c positive numbers that sum to one.
func CheckProbabilities(what string, p []float64, c int) error {
	if len(p) != c {
		return fmt.Errorf("the number of %s is %d, but the number of classes is %d; give one per class", what, len(p),
			c)
	}
	sum := 0.0
	for _, v := range p {
		if !(v > 0) {
			return fmt.Errorf("one of the %s is %g; all must be positive", what, v)
		}
		sum += v
	}
	if !(math.Abs(sum-1) < 1e-6) {
		return fmt.Errorf("the %s sum to %g; they must sum to 1", what, sum)
	}
	return nil
}

// Shifted adds lo to the index of the matrix in an error about a part of a stack.
func Shifted(err error, lo int) error {
	return indices.InError(err, func(e *spd.MatrixError) {
		if e.Role == "matrix" && e.Index >= 0 {
			e.Index += lo
		}
	})
}
