package feature

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
)

const (
	// residualTolerance is the residual of an eigenpair, relative to the largest
	// eigenvalue, at which subspace iteration has converged.
	residualTolerance = 1e-13
	// maxSubspaceIterations is the number after which a full decomposition is
	// cheaper.
	maxSubspaceIterations = 200
)

// leading returns the m largest eigenvalues of the symmetric positive semidefinite
// n×n matrix a, descending, and their eigenvectors as columns of an n×m matrix, each
// with its largest component positive. Few of many are found by subspace iteration
// from a fixed start, many by a full decomposition. a is not written.
func leading(a []float64, n, m int) (values, vectors []float64, err error) {
	if 4*(m+max(m, 10)) <= n {
		w := newSubspace(n, m)
		if w.solve(a, residualTolerance*math.Sqrt(float64(n))) {
			fixSigns(n, m, w.vectors)
			return w.values, w.vectors, nil
		}
	}
	all, v, err := fullEigen(a, n)
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
	fixSigns(n, m, vectors)
	return values, vectors, nil
}

// fullEigen returns all eigenvalues, ascending, and eigenvectors as columns.
func fullEigen(a []float64, n int) (values, vectors []float64, err error) {
	values, vectors = make([]float64, n), append([]float64(nil), a...)
	if err := eig.Sym(values, vectors, n, true, make([]float64, eig.WorkLen(n))); err != nil {
		return nil, nil, fmt.Errorf("eigendecomposition of a %d×%d matrix: %w", n, n, err)
	}
	return values, vectors, nil
}

// subspace finds the m leading eigenpairs of symmetric positive semidefinite n×n
// matrices by orthogonal iteration with a block of b vectors and a Rayleigh-Ritz
// step each time (Saad 2011, algorithm 5.3). It starts from its last answer, so that
// matrices that differ little take few steps.
type subspace struct {
	n, m, b         int
	q, y, qr, yr, h []float64
	theta, work     []float64
	values, vectors []float64
	rng             *rand.Rand
}

func newSubspace(n, m int) *subspace {
	b := min(n, m+max(m, 10))
	w := &subspace{n: n, m: m, b: b, q: make([]float64, n*b), y: make([]float64, n*b), qr: make([]float64, n*b), yr: make([]float64, n*b),
		h: make([]float64, b*b), theta: make([]float64, b), work: make([]float64, eig.WorkLen(b)),
		values: make([]float64, m), vectors: make([]float64, n*m), rng: rand.New(rand.NewPCG(1, 1))}
	for i := range w.q {
		w.q[i] = w.rng.NormFloat64()
	}
	orthonormalise(n, b, w.q, w.rng)
	return w
}

// solve sets values, descending, and vectors, as columns. The residual of each pair
// is at most tol times the largest eigenvalue. It reports false when that takes too
// many steps.
func (w *subspace) solve(a []float64, tol float64) bool {
	n, m, b := w.n, w.m, w.b
	for range maxSubspaceIterations {
		dense.Project(n, b, a, n, w.q, b, w.y, b)
		dense.Gemm(true, false, b, b, n, 1, w.q, b, w.y, b, 0, w.h, b)
		if eig.Sym(w.theta, w.h, b, true, w.work) != nil || !(w.theta[b-1] > 0) {
			return false
		}
		dense.Gemm(false, false, n, b, b, 1, w.q, b, w.h, b, 0, w.qr, b)
		dense.Gemm(false, false, n, b, b, 1, w.y, b, w.h, b, 0, w.yr, b)
		if w.residual() <= tol*w.theta[b-1] {
			for j := range m {
				w.values[j] = w.theta[b-1-j]
			}
			w.reverse(w.q, w.qr)
			for i := range n {
				copy(w.vectors[i*m:(i+1)*m], w.q[i*b:])
			}
			return true
		}
		w.reverse(w.q, w.yr) // leading columns first: orthonormalisation leaves them best
		orthonormalise(n, b, w.q, w.rng)
	}
	return false
}

// residual returns the largest ‖A v - θ v‖ of the leading pairs.
func (w *subspace) residual() float64 {
	worst := 0.0
	for j := w.b - w.m; j < w.b; j++ {
		s := 0.0
		for i := range w.n {
			d := w.yr[i*w.b+j] - w.theta[j]*w.qr[i*w.b+j]
			s += d * d
		}
		worst = math.Max(worst, math.Sqrt(s))
	}
	return worst
}

// reverse copies src to dst with its columns in the opposite order.
func (w *subspace) reverse(dst, src []float64) {
	for i := range w.n {
		for j := range w.b {
			dst[i*w.b+j] = src[i*w.b+w.b-1-j]
		}
	}
}

// orthonormalise overwrites the columns of the n×b matrix q by orthonormal ones that
// span the same, by Gram-Schmidt with repetition. A column that depends on the ones
// before it is replaced by a random one.
func orthonormalise(n, b int, q []float64, rng *rand.Rand) {
	t := make([]float64, n*b) // transposed: one vector a row
	for i := range n {
		for j := range b {
			t[j*n+i] = q[i*b+j]
		}
	}
	for j := range b {
		v := t[j*n : (j+1)*n]
		for {
			before := math.Sqrt(vec.Dot(v, v))
			for range 2 {
				for k := range j {
					u := t[k*n : (k+1)*n]
					vec.Axpy(v, -vec.Dot(u, v), u)
				}
			}
			after := math.Sqrt(vec.Dot(v, v))
			if after > 1e-10*before && !math.IsInf(after, 0) {
				for i := range v {
					v[i] /= after
				}
				break
			}
			for i := range v {
				v[i] = rng.NormFloat64()
			}
		}
	}
	for i := range n {
		for j := range b {
			q[i*b+j] = t[j*n+i]
		}
	}
}

// rankTolerance is the eigenvalue of a correlation matrix below which a direction
// counts as empty, the square of the singular value that scikit-learn uses.
const rankTolerance = 1e-8

// whitener returns a matrix T of n×r with T'WT = I for the symmetric positive
// semidefinite n×n matrix w, where r is its rank: columns are first brought to unit
// variance; directions of their correlation with an eigenvalue below the rank
// tolerance, and columns without variance, are left out.
func whitener(w []float64, n int) (t []float64, r int, err error) {
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
	values, v, err := fullEigen(c, n)
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
