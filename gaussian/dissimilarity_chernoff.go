package gaussian

import "math"

// newChernoffBest returns the Chernoff divergence at the best exponent of each pair.
func newChernoffBest(list *pairList, m int) *mixed {
	k := newMixed(list, m, 0.5, 0.125, 0.5)
	k.best = true
	return k
}

// exponents sets s to the maximizer of C, and quad to s(1-s)/2, with
//
//	C(s) = s(1-s)/2 d'P⁻¹d + log(|P| / |A|^s |B|^(1-s)) / 2,  P = s A + (1-s) B,
//
// for the pairs lo to hi-1. C is concave, and zero at 0 and 1. In the basis with A V = B V diag(λ), V'BV = I, and δ =
// V'd,
//
//	C(s) = ½ Σ_k s(1-s) δ_k²/q_k + log q_k - s log λ_k,  q_k = s λ_k + 1 - s,
//
// so a step costs m operations once the pair has been decomposed.
func (k *mixed) exponents(w *lane, lo, hi int, means, covs []float64) error {
	m, mm, count := k.m, k.m*k.m, hi-lo
	a, b, vectors := w.a[:count*mm], w.b[:count*mm], w.d[:count*mm]
	gather(a, covs, k.loop.i[lo:hi], m)
	gather(b, covs, k.loop.j[lo:hi], m)
	values := make([]float64, count*m)
	if err := w.work.Generalized(values, vectors, a, b, m, count); err != nil {
		return err
	}
	delta := make([]float64, m)
	for p := lo; p < hi; p++ {
		mi, mj := means[k.loop.i[p]*m:], means[k.loop.j[p]*m:]
		v := vectors[(p-lo)*mm : (p-lo+1)*mm]
		clear(delta)
		for r := range m {
			for c, x := range v[r*m : (r+1)*m] {
				delta[c] += x * (mi[r] - mj[r])
			}
		}
		s := bestExponent(values[(p-lo)*m:(p-lo+1)*m], delta)
		k.s[p], k.quad[p] = s, s*(1-s)/2
	}
	return nil
}

// bestExponent returns the root of the decreasing C'(s) between 0 and 1, found by Newton steps inside a shrinking
// bracket. It returns ½ if C is zero everywhere, for equal Gaussians.
func bestExponent(lambda, delta []float64) float64 {
	lo, hi, s := 0.0, 1.0, 0.5
	for range 60 {
		slope, curve := 0.0, 0.0
		for i, l := range lambda {
			q, e, d2 := s*l+1-s, l-1, delta[i]*delta[i]
			// The derivative of s(1-s)/q is (1-s)²/q² - l s²/q² with q' = e.
			slope += d2*((1-s)*(1-s)-l*s*s)/(q*q) + e/q - math.Log(l)
			curve -= d2*2*l/(q*q*q) + e*e/(q*q)
		}
		if slope > 0 {
			lo = s
		} else {
			hi = s
		}
		next := s - slope/curve
		if curve == 0 || slope == 0 {
			return s
		}
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-s) <= 1e-14 {
			return next
		}
		s = next
	}
	return s
}
