package linearfilters

import (
	"context"
	"fmt"
	"math"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/spd"

	"gonum.org/v1/gonum/mat"
)

// The iteration for a few eigenpairs of an n×n matrix has converged if the residual is at most residualTolerance·√n
// times the largest eigenvalue.
const residualTolerance = 1e-13

// Leading returns the m largest eigenvalues of the symmetric positive semidefinite n×n matrix a, in descending order,
// and their eigenvectors as columns of an n×m matrix. The largest component of each vector is positive. If m is small
// compared with n, it uses a Krylov iteration from a fixed start, otherwise a full decomposition. a is not modified.
//
// [ritz.Leading] took 0.1 to 0.7 times as long for most matrices with separate eigenvalues, and up to 2.5 times as long
// with a few large ones. If some are within 10⁻⁴ of each other (n = 784, m = 10), it took three times as long, and its
// residual was 5·10⁻⁶ of the largest eigenvalue instead of 2·10⁻¹². It therefore serves starts and bases, and this
// function serves filters that are results.
func Leading(a []float64, n, m int) (values, vectors []float64, err error) {
	if Few(n, m) {
		w := NewKrylov(n, m)
		if w.Solve(context.Background(), Symmetric(a, n), residualTolerance*math.Sqrt(float64(n))) {
			ritz.FixSigns(w.Vectors, n, m)
			return w.Values, w.Vectors, nil
		}
	}
	vectors, values, err = ritz.Direct(a, n, m)
	return values, vectors, err
}

// FullEigen returns all eigenvalues of a symmetric n×n matrix, in ascending order, and the eigenvectors as columns.
func FullEigen(a []float64, n int) (values, vectors []float64, err error) {
	values, vectors = make([]float64, n), append([]float64(nil), a...)
	if err := eig.Sym(values, vectors, n, true, make([]float64, eig.WorkLen(n))); err != nil {
		return nil, nil, fmt.Errorf("eigendecomposition of a %d×%d matrix: %w", n, n, err)
	}
	return values, vectors, nil
}

// Directions of the correlation matrix are left out if their eigenvalue is at most rankTolerance, the square of
// scikit-learn's tolerance on singular values.
const rankTolerance = 1e-8

// Whitener returns an n×r matrix T with T'WT = I for the symmetric positive semidefinite n×n matrix w of rank r.
// Columns are first scaled to unit variance. Directions of their correlation matrix with an eigenvalue up to
// rankTolerance, and columns without variance, are left out; WhitenerOfAll refuses such a matrix, because spatial
// filters of dependent channels have no patterns.
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
		// The smallest pivot is only an upper bound of the smallest eigenvalue, so the limit has a margin.
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

// LeadingOfSquares returns the m leading eigenvectors of the sum of the squares of symmetric matrices, as columns, and
// the trace of the sum.
func LeadingOfSquares(x *spd.Stack, m int) (vectors *mat.Dense, trace float64, err error) {
	n := x.Dim
	sum := make([]float64, n*n)
	for k := range x.Count {
		a := x.At(k)
		trace += vec.Dot(a, a)
		dense.Gemm(true, false, n, n, n, 1, a, n, a, n, 1, sum, n)
	}
	_, v, err := Leading(sum, n, m)
	return mat.NewDense(n, m, v), trace, err
}

// Unwhiten returns C^-½ F for an SPD matrix C. It turns the filters F of matrices whose mean C was moved to the
// identity into filters of the original matrices.
func Unwhiten(c mat.Symmetric, f *mat.Dense) (*mat.Dense, error) {
	root := new(spd.Stack)
	if err := spd.InvSqrt(root, spd.StackFrom(c)); err != nil {
		return nil, err
	}
	w := new(mat.Dense)
	w.Mul(root.View(0), f)
	return w, nil
}
