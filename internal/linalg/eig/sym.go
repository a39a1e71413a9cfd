package eig

import (
	"errors"
	"math"
)

var (
	// ErrNotFinite means that the matrix contains a NaN or an infinity, or that an eigenvalue exceeds the largest
	// finite number.
	ErrNotFinite = errors.New("the matrix has a value that is not finite")
	// ErrNoConvergence means that the QL iteration did not converge within its
	// bound. No finite matrix is known to cause it.
	ErrNoConvergence = errors.New("the eigenvalues of the matrix did not converge")
)

const (
	// maxSweeps times the order is the limit on QL sweeps for one matrix. About 1.7 sweeps per row are needed.
	maxSweeps = 30
	// negligible is the sum of squares of part of a row below which no reflection is made. Matrices are scaled to have
	// entries near one, so leaving the reflection out does not change the result, and one computed from values this
	// small would not be orthogonal.
	negligible = 0x1p-900
	// floor is the magnitude up to which an off-diagonal entry counts as zero regardless of the diagonal.
	floor = 0x1p-300
	eps   = 0x1p-53
)

// WorkLen returns the length of the scratch slice that Sym needs for order n.
func WorkLen(n int) int { return n + rotationSpace(n) }

// Sym computes the eigenvalues of the symmetric n×n matrix a, row-major, into
// values, ascending:
//
//	A = V diag(values) V',  V'V = I.
//
// Only the lower triangle of a is read. If vectors is set, a is overwritten by V: the eigenvector of values[j] is
// column j, a[i*n+j] over i. Otherwise the contents of a are destroyed. work must have at least WorkLen(n) values. If
// the entries are very large or very small, the matrix is scaled by a power of two.
//
// If a has a value that is not finite, Sym returns ErrNotFinite, with a unchanged. If an eigenvalue overflows, it
// returns ErrNotFinite, and otherwise ErrNoConvergence if the iteration does not converge. It panics if a slice is too
// short. It costs about 4n³/3 multiplications without vectors and 5n³ with vectors.
func Sym(values, a []float64, n int, vectors bool, work []float64) error {
	err := SymRows(values, a, n, vectors, work)
	if err == nil && vectors {
		transpose(a, n)
	}
	return err
}

// SymRows is Sym with the eigenvectors as rows: the eigenvector of values[j] is a[j*n : j*n+n].
func SymRows(values, a []float64, n int, vectors bool, work []float64) error {
	if n == 0 {
		return nil
	}
	if n < 0 || len(values) < n || len(a) < n*n || len(work) < WorkLen(n) {
		panic("eig: slice too short")
	}
	values, a, e, space := values[:n], a[:n*n], work[:n], work[n:WorkLen(n)]
	largest, finite := maxLower(a, n)
	if !finite {
		return ErrNotFinite
	}
	scale, inverse := Scale(largest)
	if scale != 1 {
		scaleLower(a, n, scale)
	}
	z := a
	reduce(values, e, a, n, vectors, space)
	if !vectors {
		z = nil
		for i := range values {
			values[i] = a[i*n+i]
		}
	}
	copy(e, e[1:])
	e[n-1] = 0
	if !implicitQL(values, e, z, n, space) {
		return ErrNoConvergence
	}
	sortRows(values, z, n)
	return unscale(values, inverse)
}

// reduce reduces the matrix a to tridiagonal form. With vectors, it then forms the orthogonal matrix of the reduction
// in a. space, the scratch memory of the rotations, also stores the panels of reflections of a large matrix.
func reduce(h, e, a []float64, n int, vectors bool, space []float64) {
	if n <= direct {
		tridiagonalize(h, e, a, n)
		if vectors {
			accumulate(h, a, n)
		}
		return
	}
	tridiagonalizeBlocked(h, e, a, n, space)
	if vectors {
		accumulateBlocked(h, a, n, space)
	}
}

// unscale multiplies values, ascending, by inverse.
func unscale(values []float64, inverse float64) error {
	if inverse == 1 {
		return nil
	}
	for i := range values {
		values[i] *= inverse
		if math.IsInf(values[i], 0) {
			return ErrNotFinite
		}
	}
	return nil
}

// Scale returns a power of two that brings largest, the largest magnitude in a matrix, near one, and its inverse. Both
// are 1 if largest is zero or already between 2⁻¹⁰ and 2¹⁰.
func Scale(largest float64) (scale, inverse float64) {
	if largest == 0 || largest > 0x1p-10 && largest < 0x1p10 {
		return 1, 1
	}
	_, exponent := math.Frexp(largest)
	exponent = min(max(exponent, -1022), 1023) // keeps both finite
	return math.Ldexp(1, -exponent), math.Ldexp(1, exponent)
}

// maxLower returns the largest magnitude in the lower triangle, and whether all its values are finite.
func maxLower(a []float64, n int) (largest float64, finite bool) {
	for i := range n {
		for _, v := range a[i*n : i*n+i+1] {
			v = math.Abs(v)
			if !(v <= math.MaxFloat64) {
				return v, false
			}
			largest = max(largest, v)
		}
	}
	return largest, true
}

func scaleLower(a []float64, n int, by float64) {
	for i := range n {
		row := a[i*n : i*n+i+1]
		for j := range row {
			row[j] *= by
		}
	}
}

// sortRows sorts values in ascending order, together with the rows of z if z is not nil.
func sortRows(values, z []float64, n int) {
	for i := range n - 1 {
		least := i
		for j := i + 1; j < n; j++ {
			if values[j] < values[least] {
				least = j
			}
		}
		if least == i {
			continue
		}
		values[i], values[least] = values[least], values[i]
		if z != nil {
			x, y := z[i*n:i*n+n], z[least*n:least*n+n]
			for k, v := range x {
				x[k], y[k] = y[k], v
			}
		}
	}
}

func transpose(a []float64, n int) {
	for i := range n {
		for j := range i {
			a[i*n+j], a[j*n+i] = a[j*n+i], a[i*n+j]
		}
	}
}
