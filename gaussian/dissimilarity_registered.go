package gaussian

import "gonum.org/v1/gonum/mat"

// pairwise is the kernel of a registered measure that computes pairs one by one.
type pairwise struct {
	pair         func(a, b Gaussian, da, db *Gaussian) (float64, error)
	c, m         int
	loop         *pairLoop
	means, covs  []float64
	first, other pairGrads
}

func newPairwise(list *pairList, m int, pair func(a, b Gaussian, da, db *Gaussian) (float64, error)) *pairwise {
	return &pairwise{pair: pair, c: list.c, m: m, loop: newPairLoop(list, 0), means: make([]float64, list.c*m),
		covs: make([]float64, list.c*m*m)}
}

func (k *pairwise) class(i int) Gaussian {
	m, mm := k.m, k.m*k.m
	return Gaussian{mat.NewVecDense(m, k.means[i*m:(i+1)*m]), mat.NewSymDense(m, k.covs[i*mm:(i+1)*mm])}
}

func (k *pairwise) values(dst, means, covs []float64) error {
	copy(k.means, means)
	copy(k.covs, covs)
	return k.loop.run(func(_ *lane, lo, hi int) (err error) {
		for p := lo; p < hi && err == nil; p++ {
			dst[p], err = k.pair(k.class(k.loop.i[p]), k.class(k.loop.j[p]), nil, nil)
		}
		return err
	})
}

func (k *pairwise) gradient(gradMeans, gradCovs, weights []float64) {
	n, m, mm := len(weights), k.m, k.m*k.m
	if k.first.mean == nil {
		k.first = pairGrads{make([]float64, n*m), make([]float64, n*mm)}
		k.other = pairGrads{make([]float64, n*m), make([]float64, n*mm)}
	}
	clear(k.first.mean)
	clear(k.first.cov)
	clear(k.other.mean)
	clear(k.other.cov)
	_ = k.loop.run(func(_ *lane, lo, hi int) error { // the values at this point had no error
		for p := lo; p < hi; p++ {
			da, db := k.first.gaussian(p, m), k.other.gaussian(p, m)
			if _, err := k.pair(k.class(k.loop.i[p]), k.class(k.loop.j[p]), &da, &db); err != nil {
				return err
			}
			for i := range m {
				for j := range i {
					k.first.cov[p*mm+i*m+j], k.other.cov[p*mm+i*m+j] = da.Cov.At(i, j), db.Cov.At(i, j)
				}
			}
		}
		return nil
	})
	k.loop.addWeighted(gradMeans, gradCovs, k.first, k.other, weights, m)
}

// gaussian returns the gradients of pair p in m dimensions, as views.
func (g pairGrads) gaussian(p, m int) Gaussian {
	return Gaussian{mat.NewVecDense(m, g.mean[p*m:(p+1)*m]), mat.NewSymDense(m, g.cov[p*m*m:(p+1)*m*m])}
}

// jointly is the kernel of a registered measure that computes all pairs at once.
type jointly struct {
	joint func(p *JointPairs) error
	at    JointPairs // the last point
}

func newJointly(list *pairList, m int, joint func(p *JointPairs) error) *jointly {
	k := &jointly{joint: joint, at: JointPairs{Dim: m, Means: make([]float64, list.c*m),
		Covs: make([]float64, list.c*m*m), Pairs: make([]Pair, len(list.i))}}
	for p := range list.i {
		k.at.Pairs[p] = Pair{list.i[p], list.j[p]}
	}
	return k
}

func (k *jointly) values(dst, means, covs []float64) error {
	copy(k.at.Means, means)
	copy(k.at.Covs, covs)
	p := k.at
	p.Values = dst
	return k.joint(&p)
}

func (k *jointly) gradient(gradMeans, gradCovs, weights []float64) {
	p := k.at
	p.Weights, p.GradMeans, p.GradCovs = weights, gradMeans, gradCovs
	_ = k.joint(&p) // the values at this point had no error, so a new one is not returned
}
