// Package ritz finds a few leading eigenvectors of a large symmetric matrix without decomposing all of it.
package ritz

import (
	"math"
	"math/rand/v2"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/orth"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
)

// degree is the number of products with the matrix from one Rayleigh-Ritz step to the next.
const degree = 5

// Leading returns the k largest eigenvalues of a symmetric positive semidefinite n×n matrix, in decreasing order, and
// their eigenvectors. The eigenvectors are the orthonormal columns of an n×k matrix. The entry of largest magnitude in
// each column is positive. The input matrix is not modified.
//
// The method is subspace iteration with a few guard vectors, Rayleigh-Ritz steps and a Chebyshev filter (Saad,
// Numerical Methods for Large Eigenvalue Problems, 2011, section 7.4). The same matrix always gives the same bits.
// Leading returns an error if the matrix is not finite. If eigenvalues are close, linearfilters.Leading is faster and
// more precise.
func Leading(a []float64, n, k int) (vectors, values []float64, err error) {
	return LeadingTo(a, n, k, 1e-12)
}

// LeadingTo is [Leading] with eigenvalues accurate to tol times the largest.
func LeadingTo(a []float64, n, k int, tol float64) (vectors, values []float64, err error) {
	if n <= directOrder {
		return Direct(a, n, k)
	}
	b := min(n, k+max(8, k/4))
	s := iteration{n: n, b: b, total: a, x: make([]float64, n*b), y: make([]float64, n*b), z: make([]float64, n*b),
		h: make([]float64, b*b), v: make([]float64, b*b), values: make([]float64, b)}
	rng := rand.New(rand.NewPCG(0x5ca1ab1e, 1))
	for i := range s.x {
		s.x[i] = rng.NormFloat64()
	}
	converged := settling{tol: tol}
	for round := range 200 {
		if b == n { // the block is the entire space
			copy(s.x, vec.Identity(n))
		} else {
			orthonormalize(s.x, s.z, n, b, &s.work)
		}
		if err := s.rotate(); err != nil {
			return nil, nil, err
		}
		if converged.settled(s.values, k) || round == 199 || b == n {
			break
		}
		s.filter()
	}
	vectors, values = make([]float64, n*k), make([]float64, k)
	for r := range n {
		copy(vectors[r*k:(r+1)*k], s.x[r*b:r*b+k])
	}
	for j := range k {
		values[j] = s.values[b-1-j]
	}
	FixSigns(vectors, n, k)
	return vectors, values, nil
}

// directOrder is the largest order for which computing all eigenvectors is cheaper than subspace iteration. For nine
// vectors at orders 24 and 32, all eigenvectors need 41 and 81 μs, and the iteration 260 and 190 μs
// (BenchmarkLeading).
const directOrder = 32

// Direct is [Leading] by a full decomposition.
func Direct(a []float64, n, k int) (vectors, values []float64, err error) {
	all, rows := make([]float64, n), append([]float64(nil), a[:n*n]...)
	if err := eig.SymRows(all, rows, n, true, make([]float64, eig.WorkLen(n))); err != nil {
		return nil, nil, err
	}
	vectors, values = make([]float64, n*k), make([]float64, k)
	for j := range k {
		values[j] = all[n-1-j]
		for r, v := range rows[(n-1-j)*n : (n-j)*n] {
			vectors[r*k+j] = v
		}
	}
	FixSigns(vectors, n, k)
	return vectors, values, nil
}

// iteration is the state of the subspace iteration: the block x (n×b). After rotate, y v is its product with the
// matrix.
type iteration struct {
	n, b    int
	total   []float64
	x, y, z []float64
	h, v    []float64
	values  []float64 // ascending
	work    small.Workspace
}

// rotate replaces the orthonormal columns of x by the best approximations of eigenvectors in their span, in descending
// order.
func (s *iteration) rotate() error {
	n, b := s.n, s.b
	dense.Project(n, b, s.total, n, s.x, b, s.y, b)
	dense.Gemm(true, false, b, b, n, 1, s.x, b, s.y, b, 0, s.h, b)
	vec.Symmetrize(s.h, b)
	if err := s.work.Eigen(s.values, s.v, s.h, b, 1); err != nil {
		return err
	}
	reverseColumns(s.v, b)
	dense.Gemm(false, false, n, b, b, 1, s.x, b, s.v, b, 0, s.z, b)
	s.x, s.z = s.z, s.x
	return nil
}

// filter applies a Chebyshev polynomial to x. It is small on [0, bound], the part of the spectrum outside the block,
// and grows fastest above that interval.
func (s *iteration) filter() {
	n, b := s.n, s.b
	dense.Gemm(false, false, n, b, b, 1, s.y, b, s.v, b, 0, s.z, b)
	s.y, s.z = s.z, s.y
	half := s.values[0] / 2 // the interval's center and half width
	if !(half > 1e-10*s.values[b-1]) {
		s.x, s.y = s.y, s.x // no variance outside the block: a plain step
		return
	}
	for i, x := range s.x {
		s.y[i] = s.y[i]/half - x
	}
	for range degree - 1 { // T_{j+1} = 2 t T_j - T_{j-1}
		dense.Project(n, b, s.total, n, s.y, b, s.z, b)
		for i, z := range s.z {
			s.x[i] = 2*(z/half-s.y[i]) - s.x[i]
		}
		s.x, s.y = s.y, s.x
	}
	s.x, s.y = s.y, s.x
}

// settling tracks the convergence of the k leading values of an iteration.
type settling struct {
	tol      float64
	previous []float64
	change   float64 // change at the last step, relative to the largest value
}

// settled reports whether the k largest of values, which are ascending, are within tol of their limits, relative to the
// largest. In every step the distance to the limits shrinks by about the same factor, so two changes predict the next
// one. The prediction is limited to at least a thousandth of the last change. The error of the vectors is about the
// square root of the error of the values.
func (s *settling) settled(values []float64, k int) bool {
	if s.previous == nil {
		s.previous = append(s.previous, values...)
		return false
	}
	var change float64
	for j := len(values) - k; j < len(values); j++ {
		change = math.Max(change, math.Abs(values[j]-s.previous[j])/values[len(values)-1])
	}
	next := change
	if change < s.change {
		next *= math.Max(change/s.change, 1e-3)
	}
	copy(s.previous, values)
	s.change = change
	return !(next > s.tol)
}

// reverseColumns reverses the order of the columns of an n×n matrix.
func reverseColumns(v []float64, n int) {
	for i := range n {
		row := v[i*n : (i+1)*n]
		for a, b := 0, n-1; a < b; a, b = a+1, b-1 {
			row[a], row[b] = row[b], row[a]
		}
	}
}

// orthonormalize replaces the columns of x (n×b) by an orthonormal basis of their span. It runs Cholesky QR twice or,
// if the columns are nearly dependent, Gram-Schmidt with random columns in place of dependent ones: a total covariance
// of low rank has fewer directions than the block.
// y has the size of x and is overwritten.
func orthonormalize(x, y []float64, n, b int, work *small.Workspace) {
	g, li := make([]float64, b*b), make([]float64, b*b)
	vec.NormalizeColumns(x, b)
	for range 2 {
		dense.Gemm(true, false, b, b, n, 1, x, b, x, b, 0, g, b)
		vec.Symmetrize(g, b)
		if work.Cholesky(g, g, b, 1) != nil {
			rng := rand.New(rand.NewPCG(0x5ca1ab1e, 2))
			orth.Columns(x, n, b, b, 1e-10, func(_ int, column []float64) bool {
				for i := range column {
					column[i] = rng.NormFloat64()
				}
				return true
			})
			return
		}
		work.InvertLower(li, g, b, 1)
		dense.Gemm(false, true, n, b, b, 1, x, b, li, b, 0, y, b)
		copy(x, y)
	}
}

// FixSigns flips columns to make the entry of largest magnitude positive (the first one in a tie), and returns which
// columns it flipped.
func FixSigns(x []float64, n, k int) (turned []bool) {
	turned = make([]bool, k)
	for j := range k {
		top := 0.0
		for r := range n {
			if v := x[r*k+j]; math.Abs(v) > math.Abs(top)*(1+1e-9) {
				top = v
			}
		}
		if turned[j] = top < 0; turned[j] {
			for r := range n {
				x[r*k+j] = -x[r*k+j]
			}
		}
	}
	return turned
}
