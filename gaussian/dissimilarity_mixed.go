package gaussian

import (
	"rao/internal/linalg/small"
	"rao/internal/linalg/tri"
)

// mixed computes the measures that use the mixed covariance P = s A + (1-s) B of a pair: with d = μ_i - μ_j,
//
//	quad d'P⁻¹d + logdet (log|P| - s log|A| - (1-s) log|B|).
//
// Chernoff has quad = s(1-s)/2 and logdet = 1/2, and Bhattacharyya is the case s = 1/2. The squared Mahalanobis
// distance has quad = 1 and logdet = 0. The derivative with respect to P is logdet P⁻¹ - quad vv' with v = P⁻¹d. If s
// maximizes the value of each pair, the derivative with respect to s is zero, so the gradient equals the gradient at
// constant s (the envelope theorem).
type mixed struct {
	c, m    int
	logdet  float64
	best    bool      // s maximizes the value of each pair
	s, quad []float64 // one per pair

	loop    *pairLoop
	work    small.Workspace
	l, li   []float64
	inverse []float64 // one per class
	half    []float64 // log-determinants, one per class
	v       []float64 // v, one per pair
	pinv    []float64 // P⁻¹ of the pairs of a block
	block   int       // number of pairs in a block, a multiple of pairGrain

	means, covs []float64 // from the last call of values; blocks are recomputed from them
}

// blockValues is the approximate number of values in the inverses for a block of pairs.
const blockValues = 1 << 23

func newMixed(list *pairList, m int, s, quad, logdet float64) *mixed {
	c, pairs, mm := list.c, len(list.i), m*m
	k := &mixed{c: c, m: m, logdet: logdet, s: make([]float64, pairs), quad: make([]float64, pairs),
		loop: newPairLoop(list, m),
		l:    make([]float64, c*mm), li: make([]float64, c*mm), inverse: make([]float64, c*mm),
		half: make([]float64, c),
		v:    make([]float64, pairs*m), block: max(1, blockValues/mm/pairGrain) * pairGrain}
	k.pinv = make([]float64, min(pairs, k.block)*mm)
	for p := range k.s {
		k.s[p], k.quad[p] = s, quad
	}
	return k
}

func (k *mixed) values(dst, means, covs []float64) error {
	m, mm := k.m, k.m*k.m
	if err := classFactor(&k.work, k.l, covs, m, k.c); err != nil {
		return err
	}
	for i := range k.c {
		k.half[i] = tri.LogDet(m, k.l[i*mm:])
	}
	k.means, k.covs = means, covs
	for from := 0; from < len(dst); from += k.block {
		if err := k.blockOf(from, dst, means, covs); err != nil {
			return err
		}
	}
	return nil
}

func (k *mixed) blockOf(from int, dst, means, covs []float64) error {
	m, mm := k.m, k.m*k.m
	return k.loop.runPart(from, min(from+k.block, len(dst)), func(w *lane, lo, hi int) error {
		count := hi - lo
		if k.best {
			if err := k.exponents(w, lo, hi, means, covs); err != nil {
				return err
			}
		}
		a, l, li := w.a[:count*mm], w.b[:count*mm], w.d[:count*mm]
		for p := lo; p < hi; p++ {
			x, y := covs[k.loop.i[p]*mm:(k.loop.i[p]+1)*mm], covs[k.loop.j[p]*mm:]
			s, out := k.s[p], a[(p-lo)*mm:]
			for q, v := range x {
				out[q] = s*v + (1-s)*y[q]
			}
		}
		if err := w.work.Cholesky(l, a, m, count); err != nil {
			return err
		}
		w.work.InvertLower(li, l, m, count)
		pinv := k.pinv[(lo-from)*mm : (hi-from)*mm]
		w.work.Mul(pinv, li, li, true, false, m, count)
		for p := lo; p < hi; p++ {
			i, j := k.loop.i[p], k.loop.j[p]
			q := bilinear(k.v[p*m:(p+1)*m], pinv[(p-lo)*mm:], means[i*m:(i+1)*m], means[j*m:(j+1)*m])
			dst[p] = k.quad[p] * q
			if k.logdet != 0 {
				dst[p] += k.logdet * (tri.LogDet(m, l[(p-lo)*mm:]) - k.s[p]*k.half[i] - (1-k.s[p])*k.half[j])
			}
		}
		return nil
	})
}

// bilinear writes v = A (x - y) and returns (x - y)'A(x - y).
func bilinear(v, a, x, y []float64) float64 {
	m := len(x)
	var q float64
	for r := range m {
		var s float64
		for c := range m {
			s += a[r*m+c] * (x[c] - y[c])
		}
		v[r] = s
		q += s * (x[r] - y[r])
	}
	return q
}

func (k *mixed) gradient(gradMeans, gradCovs, weights []float64) {
	m, mm := k.m, k.m*k.m
	if k.logdet != 0 {
		k.work.InvertLower(k.li, k.l, m, k.c)
		k.work.Mul(k.inverse, k.li, k.li, true, false, m, k.c)
	}
	var known []float64 // buffer for values that blocks recompute together with their inverses
	if len(weights) > k.block {
		known = make([]float64, len(weights))
	}
	for p, w := range weights {
		if known != nil && p%k.block == 0 {
			if err := k.blockOf(p, known, k.means, k.covs); err != nil {
				panic("gaussian: " + err.Error()) // the same values were computed before
			}
		}
		i, j, s, quad := k.loop.i[p], k.loop.j[p], k.s[p], k.quad[p]
		v := k.v[p*m : (p+1)*m]
		gi, gj := gradCovs[i*mm:(i+1)*mm], gradCovs[j*mm:(j+1)*mm]
		pinv := k.pinv[p%k.block*mm : (p%k.block+1)*mm]
		for r, x := range v {
			for c, y := range v {
				g := w * (k.logdet*pinv[r*m+c] - quad*x*y)
				gi[r*m+c] += s * g
				gj[r*m+c] += (1 - s) * g
			}
			gradMeans[i*m+r] += 2 * w * quad * x
			gradMeans[j*m+r] -= 2 * w * quad * x
		}
		if k.logdet != 0 {
			wi, wj := w*k.logdet*s, w*k.logdet*(1-s)
			ii, ij := k.inverse[i*mm:(i+1)*mm], k.inverse[j*mm:(j+1)*mm]
			for q := range mm {
				gi[q] -= wi * ii[q]
				gj[q] -= wj * ij[q]
			}
		}
	}
}
