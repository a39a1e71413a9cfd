package linear

import (
	"context"
	"fmt"
	"math"

	"rao/internal/linalg/eig"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/tri"
)

// residualTolerance is the residual of an eigenpair, relative to the largest
// eigenvalue, at which an iteration for few of many has converged.
const residualTolerance = 1e-13

// Leading returns the m largest eigenvalues of the symmetric positive semidefinite
// n×n matrix a, descending, and their eigenvectors as columns of an n×m matrix, each
// with its largest component positive. Few of many are found by a Krylov iteration
// from a fixed start, many by a full decomposition. a is not written.
func Leading(a []float64, n, m int) (values, vectors []float64, err error) {
	if Few(n, m) {
		w := NewKrylov(n, m)
		if w.Solve(context.Background(), Symmetric(a, n), residualTolerance*math.Sqrt(float64(n))) {
			ritz.FixSigns(w.Vectors, n, m)
			return w.Values, w.Vectors, nil
		}
	}
	all, v, err := FullEigen(a, n)
	if err != nil {
		return nil, nil, err
	}
	values, vectors = make([]float64, m), make([]float64, n*m)
	for j := range m {
		values[j] = all[n-1-j]
		for i := range n {
			vectors[i*m+j] = v[i*n+n-1-j]
		}
	}
	ritz.FixSigns(vectors, n, m)
	return values, vectors, nil
}

// FullEigen returns all eigenvalues, ascending, and eigenvectors as columns.
func FullEigen(a []float64, n int) (values, vectors []float64, err error) {
	values, vectors = make([]float64, n), append([]float64(nil), a...)
	if err := eig.Sym(values, vectors, n, true, make([]float64, eig.WorkLen(n))); err != nil {
		return nil, nil, fmt.Errorf("eigendecomposition of a %d×%d matrix: %w", n, n, err)
	}
	return values, vectors, nil
}

// rankTolerance is the eigenvalue of a correlation matrix below which a direction
// counts as empty, the square of the singular value that scikit-learn uses.
const rankTolerance = 1e-8

// Whitener returns a matrix T of n×r with T'WT = I for the symmetric positive
// semidefinite n×n matrix w, where r is its rank: columns are first brought to unit
// variance; directions of their correlation with an eigenvalue below the rank
// tolerance, and columns without variance, are left out.
func Whitener(w []float64, n int) (t []float64, r int, err error) {
	scale := make([]float64, n)
	largest := 0.0
	for i := range n {
		largest = math.Max(largest, w[i*n+i])
	}
	full := true
	for i := range n {
		if w[i*n+i] > 1e-20*largest {
			scale[i] = 1 / math.Sqrt(w[i*n+i])
		} else {
			full = false
		}
	}
	c := make([]float64, n*n)
	for i := range n {
		for j := range n {
			c[i*n+j] = scale[i] * w[i*n+j] * scale[j]
		}
	}
	if full {
		l := append([]float64(nil), c...)
		// Smallest pivots bound the smallest eigenvalue from above only, hence the margin.
		if _, _, ok := tri.Cholesky(n, l, 1e3*rankTolerance); ok {
			li := make([]float64, n*n)
			tri.InvertLower(n, li, l)
			t = make([]float64, n*n)
			for i := range n {
				for j := i; j < n; j++ {
					t[i*n+j] = scale[i] * li[j*n+i]
				}
			}
			return t, n, nil
		}
	}
	values, v, err := FullEigen(c, n)
	if err != nil {
		return nil, 0, err
	}
	first := 0
	for first < n && !(values[first] > rankTolerance) {
		first++
	}
	r = n - first
	t = make([]float64, n*r)
	for i := range n {
		for j := range r {
			t[i*r+j] = scale[i] * v[i*n+first+j] / math.Sqrt(values[first+j])
		}
	}
	return t, r, nil
}
