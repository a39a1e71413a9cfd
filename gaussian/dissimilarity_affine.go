package gaussian

import (
	"math"

	"rao/internal/linalg/small"
)

// affine computes the squared affine-invariant distance: either of the embedded Gaussians, with the border of Calvo
// and Oller (1990) and the factor 1/2, or of the second moments without either.
//
// For a pair A = Ω_i, B = Ω_j with A V = B V diag(λ) and V'BV = I,
//
//	∂(d²)/∂A = Σ 2 (log λ_k / λ_k) v_k v_k',   ∂(d²)/∂B = -Σ 2 log λ_k v_k v_k',
//
// so one eigenproblem per pair is enough for both classes, and repeated eigenvalues need no special treatment.
type affine struct {
	c, m, n int // n is the order of the embedded matrices
	border  bool
	factor  float64

	loop       *pairLoop
	work       small.Workspace
	means      []float64 // kept for the gradient
	omega      []float64
	l, li      []float64 // Cholesky factors and their inverses
	logs, vec  []float64 // logarithms of the eigenvalues, and eigenvectors, of every pair
	first      []float64
	second     []float64
	grad       []float64
	coefA      []float64
	coefB      []float64
	eigenvalue []float64
}

func newAffine(list *pairList, m int, border bool) *affine {
	k := &affine{c: list.c, m: m, n: m, border: border, factor: 1}
	if border {
		k.n, k.factor = m+1, 0.5
	}
	c, pairs, nn := list.c, len(list.i), k.n*k.n
	k.loop = newPairLoop(list, k.n)
	k.means = make([]float64, c*m)
	k.omega, k.l, k.li, k.grad = make([]float64, c*nn), make([]float64, c*nn), make([]float64, c*nn), make([]float64,
		c*nn)
	k.vec, k.first, k.second = make([]float64, pairs*nn), make([]float64, pairs*nn), make([]float64, pairs*nn)
	k.eigenvalue, k.logs = make([]float64, pairs*k.n), make([]float64, pairs*k.n)
	k.coefA, k.coefB = make([]float64, pairs*k.n), make([]float64, pairs*k.n)
	return k
}

func (k *affine) values(dst, means, covs []float64) error {
	copy(k.means, means)
	embed(k.omega, means, covs, k.c, k.m, k.border)
	if err := classFactor(&k.work, k.l, k.omega, k.n, k.c); err != nil {
		if k.border { // [S+μμ' μ; μ' 1] is positive definite if S is, so the error is about S
			if own := classFactor(&k.work, k.l[:k.c*k.m*k.m], covs, k.m, k.c); own != nil {
				return own
			}
		}
		return err
	}
	k.work.InvertLower(k.li, k.l, k.n, k.c)
	n, nn := k.n, k.n*k.n
	return k.loop.run(func(s *lane, lo, hi int) error {
		count := hi - lo
		lj := gather(s.a, k.li, k.loop.j[lo:hi], n)
		a := gather(s.b, k.omega, k.loop.i[lo:hi], n)
		if err := s.work.WhitenedEigen(k.eigenvalue[lo*n:hi*n], k.vec[lo*nn:hi*nn], lj, a, n, count,
			false); err != nil {
			return err
		}
		for p := lo; p < hi; p++ {
			var sum float64
			for q := p * n; q < (p+1)*n; q++ {
				v := math.Log(k.eigenvalue[q])
				k.logs[q] = v
				sum += v * v
			}
			dst[p] = k.factor * sum
		}
		return nil
	})
}

func (k *affine) gradient(gradMeans, gradCovs, weights []float64) {
	n, nn := k.n, k.n*k.n
	err := k.loop.run(func(s *lane, lo, hi int) error {
		count := hi - lo
		for p := lo; p < hi; p++ {
			w := 2 * k.factor * weights[p]
			for q := p * n; q < (p+1)*n; q++ {
				k.coefA[q] = w * k.logs[q] / k.eigenvalue[q]
				k.coefB[q] = -w * k.logs[q]
			}
		}
		lj := gather(s.a, k.li, k.loop.j[lo:hi], n)
		v := s.d[:count*nn]
		s.work.Mul(v, lj, k.vec[lo*nn:hi*nn], true, false, n, count)
		s.work.Rebuild(k.first[lo*nn:hi*nn], v, k.coefA[lo*n:hi*n], n, count)
		s.work.Rebuild(k.second[lo*nn:hi*nn], v, k.coefB[lo*n:hi*n], n, count)
		return nil
	})
	if err != nil {
		panic(err) // the body returns no errors
	}
	clear(k.grad)
	k.loop.scatter(k.grad, k.first, k.second, n)
	unembed(gradMeans, gradCovs, k.grad, k.means, k.c, k.m, k.border)
}
