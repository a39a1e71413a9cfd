package gaussian

import "rao/internal/linalg/small"

// jeffreys computes the mean of the two Kullback-Leibler divergences of a pair,
//
//	(tr(B⁻¹A) + tr(A⁻¹B) - 2m + d'(A⁻¹ + B⁻¹)d) / 4,  d = μ_i - μ_j.
//
// (Some authors call twice this the Jeffreys divergence.) With Q_i the weighted sum over the other classes j of S_j +
// dd', the inverse of S_i contributes -S_i⁻¹ Q_i S_i⁻¹ / 4 to the gradient with respect to S_i: two products per
// class, and none per pair.
type jeffreys struct {
	c, m    int
	loop    *pairLoop
	work    small.Workspace
	means   []float64
	covs    []float64
	l, li   []float64
	inverse []float64
	q, t    []float64
}

func newJeffreys(list *pairList, m int) *jeffreys {
	c, mm := list.c, m*m
	return &jeffreys{c: c, m: m, loop: newPairLoop(list, m), means: make([]float64, c*m), covs: make([]float64, c*mm),
		l: make([]float64, c*mm), li: make([]float64, c*mm), inverse: make([]float64, c*mm),
		q: make([]float64, c*mm), t: make([]float64, c*mm)}
}

func (k *jeffreys) values(dst, means, covs []float64) error {
	m, mm := k.m, k.m*k.m
	copy(k.means, means)
	copy(k.covs, covs)
	if err := classFactor(&k.work, k.l, covs, m, k.c); err != nil {
		return err
	}
	k.work.InvertLower(k.li, k.l, m, k.c)
	k.work.Mul(k.inverse, k.li, k.li, true, false, m, k.c)
	return k.loop.run(func(_ *lane, lo, hi int) error {
		for p := lo; p < hi; p++ {
			i, j := k.loop.i[p], k.loop.j[p]
			ai, aj := k.inverse[i*mm:(i+1)*mm], k.inverse[j*mm:(j+1)*mm]
			si, sj := covs[i*mm:(i+1)*mm], covs[j*mm:(j+1)*mm]
			s := -2 * float64(m)
			for r := range m {
				dr := means[i*m+r] - means[j*m+r]
				for c := range m {
					q := r*m + c
					dd := dr * (means[i*m+c] - means[j*m+c])
					s += aj[q]*(si[q]+dd) + ai[q]*(sj[q]+dd)
				}
			}
			dst[p] = s / 4
		}
		return nil
	})
}

func (k *jeffreys) gradient(gradMeans, gradCovs, weights []float64) {
	m, mm := k.m, k.m*k.m
	clear(k.q)
	for p, w := range weights {
		i, j := k.loop.i[p], k.loop.j[p]
		for r := range m {
			dr := k.means[i*m+r] - k.means[j*m+r]
			var g float64
			for c := range m {
				a, b := i*mm+r*m+c, j*mm+r*m+c
				dc := k.means[i*m+c] - k.means[j*m+c]
				g += (k.inverse[a] + k.inverse[b]) * dc
				k.q[a] += w * (k.covs[b] + dr*dc)
				k.q[b] += w * (k.covs[a] + dr*dc)
				gradCovs[a] += w / 4 * k.inverse[b]
				gradCovs[b] += w / 4 * k.inverse[a]
			}
			gradMeans[i*m+r] += w / 2 * g
			gradMeans[j*m+r] -= w / 2 * g
		}
	}
	k.work.Mul(k.t, k.inverse, k.q, false, false, m, k.c)
	k.work.Mul(k.q, k.t, k.inverse, false, false, m, k.c)
	for i, v := range k.q {
		gradCovs[i] -= v / 4
	}
}
