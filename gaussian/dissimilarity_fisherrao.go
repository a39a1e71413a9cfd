package gaussian

import (
	"fmt"

	"rao/internal/linalg/small"
)

// fisherRao is the squared Fisher-Rao distance as a kernel.
type fisherRao struct {
	c, m   int
	loop   *pairLoop
	work   small.Workspace
	l      []float64
	first  pairGrads // gradients of every pair with respect to i
	second pairGrads // gradients of every pair with respect to j
	// warm contains the K of every pair at the last values, in the coordinates of the Gaussians. The next search starts
	// there. During a fit this is nearly the solution.
	warm []float64
}

// pairGrads contains the gradients of all pairs with respect to a mean and a covariance.
type pairGrads struct{ mean, cov []float64 }

func newFisherRao(list *pairList, m int) *fisherRao {
	c, pairs, mm := list.c, len(list.i), m*m
	grads := func() pairGrads { return pairGrads{make([]float64, pairs*m), make([]float64, pairs*mm)} }
	return &fisherRao{c: c, m: m, loop: newPairLoop(list, m), l: make([]float64, c*mm), first: grads(), second: grads(),
		warm: make([]float64, pairs*mm)}
}

func (k *fisherRao) values(dst, means, covs []float64) error {
	m, mm := k.m, k.m*k.m
	if err := classFactor(&k.work, k.l, covs, m, k.c); err != nil {
		return err
	}
	return k.loop.run(func(w *lane, lo, hi int) error {
		if w.eriksen == nil {
			w.eriksen = newEriksen(m)
		}
		e := w.eriksen
		for p := lo; p < hi; p++ {
			i, j := k.loop.i[p], k.loop.j[p]
			if err := e.whiten(&w.work, means[i*m:(i+1)*m], covs[i*mm:(i+1)*mm], means[j*m:(j+1)*m],
				covs[j*mm:(j+1)*mm]); err != nil {
				return fmt.Errorf("classes %d and %d: %w", i, j, err)
			}
			e.begin(&w.work, k.warm[p*mm:(p+1)*mm])
			v, err := e.minimize()
			if err != nil {
				return fmt.Errorf("Fisher-Rao distance of classes %d and %d: %w", i, j, err)
			}
			dst[p] = v
			e.keep(&w.work, k.warm[p*mm:(p+1)*mm], covs[i*mm:(i+1)*mm])
			e.endpoints(&w.work, k.first.mean[p*m:(p+1)*m], k.first.cov[p*mm:(p+1)*mm], k.second.mean[p*m:(p+1)*m],
				k.second.cov[p*mm:(p+1)*mm])
		}
		return nil
	})
}

func (k *fisherRao) gradient(gradMeans, gradCovs, weights []float64) {
	k.loop.addWeighted(gradMeans, gradCovs, k.first, k.second, weights, k.m)
}

// addWeighted adds the gradients of the pairs, times the weights, to the gradients of the classes.
func (p *pairLoop) addWeighted(gradMeans, gradCovs []float64, first, second pairGrads, weights []float64, m int) {
	add := func(dst, src []float64, to, from, size int, w float64) {
		d, s := dst[to*size:(to+1)*size], src[from*size:(from+1)*size]
		for q, v := range s {
			d[q] += w * v
		}
	}
	for k, w := range weights {
		i, j := p.i[k], p.j[k]
		add(gradMeans, first.mean, i, k, m, w)
		add(gradMeans, second.mean, j, k, m, w)
		add(gradCovs, first.cov, i, k, m*m, w)
		add(gradCovs, second.cov, j, k, m*m, w)
	}
}
